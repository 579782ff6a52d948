import type { Session } from './context.ts';
import { connection, found } from './session.ts';

/** What tells the workspace in use from any other: its file, or its base URL and the key to it. A secret. */
export async function accessOf(session: Session): Promise<string> {
  const used = await connection(session, session.globals);
  return used.kind === 'local' ? used.database : `${used.baseUrl} ${used.key}`;
}

/** Whether the workspace is a file that this process itself writes. */
export async function isEmbedded(session: Session): Promise<boolean> {
  return (await found(session, session.globals)).kind === 'local';
}

/** What the workspace in use is known by: its base URL or its file. Throws `unauthorized`. */
export async function workspaceOf(session: Session): Promise<string> {
  const used = await found(session, session.globals);
  return used.kind === 'local' ? used.database : new URL(used.baseUrl).href;
}
