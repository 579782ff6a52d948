import { onTestFinished } from 'vitest';
import { loadSqlite } from '../../src/service/db/engine.ts';

/**
 * Holds a workspace file as another program that writes it does, until the test is over or it is let go. By the SQLite
 * of the program: the locks of two SQLite libraries in one process do not exclude one another.
 */
export function held(file: string): () => void {
  const database = new (loadSqlite())(file);
  database.exec('begin immediate');
  let isHeld = true;
  const letGo = () => {
    if (isHeld) database.close();
    isHeld = false;
  };
  onTestFinished(letGo);
  return letGo;
}
