import type { CommandResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import type { Body } from '../../cli/flags/body.ts';
import { getReferenceCache } from '../../cli/references/reference-cache.ts';
import { startRun } from '../../cli/write-run.ts';
import { checkWrites } from '../../cli/writes/check-writes.ts';
import { previewWrites } from '../../cli/writes/writing.ts';
import { Failure } from '../../contract/errors.ts';
import { buildRequest, type WireRequest } from '../../contract/grammar.ts';
import { organizations } from '../../contract/organizations.ts';
import { extractHost } from '../../values/domain.ts';

/**
 * Creates the organization with the name or domain in `organization_id`, then writes the record. With --dry-run, previews
 * both requests. A retry in the same command does not create the organization again.
 */
export async function writeWithOrganization(
  session: Session,
  fields: Body,
  build: (fields: Body) => WireRequest,
  write: (session: Session, fields: Body) => Promise<CommandResult>,
): Promise<CommandResult> {
  const name = String(fields.organization_id);
  const { newOrganizations } = getReferenceCache(session);
  const body = extractHost(name) === undefined ? { name } : { domains: [name] };
  const contact = build({ ...fields, organization_id: `<id of ${name}>` });
  const requests = [buildRequest(organizations.create, body), contact];
  if (session.globals.dryRun) return previewWrites(session, requests);
  // A value that the service would refuse is reported before the organization exists.
  await checkWrites(session, requests);
  const settings = { concurrency: 1, isRecordedByClient: true };
  const { run, session: own, close } = await startRun(session, settings, async () => ({}));
  try {
    if (newOrganizations.get(name) === undefined) {
      const { record } = await run.write({ noun: 'organization', action: 'create', body });
      if (!record) throw new Failure('failed', 'The service did not return the new organization.');
      newOrganizations.set(name, String(record.id));
    }
    return await write(own, { ...fields, organization_id: newOrganizations.get(name) });
  } catch (error) {
    const id = newOrganizations.get(name);
    if (id === undefined || !(error instanceof Failure)) throw error;
    const message = `${error.message} The organization ${name} (${id}) was created.`;
    throw new Failure(error.code, message, error.detail);
  } finally {
    close();
  }
}
