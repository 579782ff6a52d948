import { onTestFinished } from 'vitest';
import { loadSqlite } from '../../../../src/sqlite/engine.ts';

/**
 * Locks a workspace file as another program that writes it does, until the test ends or the result is called. It uses
 * the program's SQLite: the locks of two SQLite libraries in one process do not exclude each other.
 */
export function lockWorkspace(file: string): () => void {
  const database = new (loadSqlite())(file);
  database.exec('begin immediate');
  let isLocked = true;
  const release = () => {
    if (isLocked) database.close();
    isLocked = false;
  };
  onTestFinished(release);
  return release;
}
