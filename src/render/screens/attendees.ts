import { type Block, createRows, keptColumn, titleColumn } from '../blocks.ts';

/** A person who attends a meeting. */
export interface Attendee {
  readonly email: string;
  /** The name of the contact; undefined if no contact has the address. */
  readonly name: string | undefined;
  readonly organizationId: string | undefined;
  /** The name of the organization of the contact. */
  readonly organization: string | undefined;
}

const columns = [keptColumn, titleColumn, { shrink: 2, presence: 'extra' }] as const;

/** Creates rows with the name, organization and address of people; an address instead of a missing name. */
export const createAttendeeRows = (attendees: readonly Attendee[]): Block =>
  createRows(
    columns,
    attendees.map(({ email, name, organization = '' }) =>
      name === undefined ? [email, organization, ''] : [name, organization, email],
    ),
  );

/** Returns an attendee as JSON, with null for unknown values. */
export const toAttendeeJson = ({ email, name, organizationId, organization }: Attendee) => ({
  email,
  name: name ?? null,
  organization_id: organizationId ?? null,
  organization: organization ?? null,
});
