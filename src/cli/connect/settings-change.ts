import { sanitizeLine } from '../../render/sanitize.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Session } from '../context.ts';

/** The settings, to be changed. A damaged file is set aside first and both names are told, also with --quiet. */
export async function openSettingsForChange({ settings, stderr }: Session): Promise<Settings> {
  const opened = await settings();
  const aside = await opened.moveDamaged();
  if (aside !== undefined) {
    const text = `The settings in ${opened.path} were damaged; they are kept in ${aside}.`;
    await stderr.write(`kith: ${sanitizeLine(text)}\n`);
  }
  return opened;
}
