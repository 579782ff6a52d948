import { DatabaseSync } from '@photostructure/sqlite';
import { onTestFinished } from 'vitest';

/** Holds a workspace file as another program that writes it does, until the test is over or it is let go. */
export function held(file: string): () => void {
  const database = new DatabaseSync(file);
  database.exec('begin immediate');
  let isHeld = true;
  const letGo = () => {
    if (isHeld) database.close();
    isHeld = false;
  };
  onTestFinished(letGo);
  return letGo;
}
