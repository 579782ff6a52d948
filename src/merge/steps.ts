import type { Client } from '../client/client.ts';
import { contacts } from '../contract/contacts.ts';
import { Failure, isRecordFailure } from '../contract/errors.ts';
import { buildRequest, type WireRequest } from '../contract/grammar.ts';
import {
  type CompletedStep,
  pickStoredValues,
  pickValues,
  type StoredRecord,
  toBody,
  type Values,
} from '../import/record-values.ts';
import { buildPath, recordRoutes } from '../import/record-writer.ts';

type Place = Pick<CompletedStep, 'what' | 'list_id'>;

/** A write of a merge, in the order in which they are sent. */
export type MergeStep = Place &
  (
    | {
        readonly action: 'update';
        readonly id: string;
        readonly body: Values;
        /** The record before the merge. */
        readonly record: StoredRecord;
        /** The contact that gets its addresses back if the service refuses this write. */
        readonly restore?: { readonly id: string; readonly emails: readonly string[] };
      }
    | { readonly action: 'create'; readonly body: Values }
    | {
        readonly action: 'remove_emails';
        readonly id: string;
        readonly emails: readonly string[];
        readonly record: StoredRecord;
      }
    | { readonly action: 'delete'; readonly id: string; readonly record: StoredRecord }
  );

/** A write that the service has carried out, or a record that it has deleted, as the journal has them. */
export type CompletedWrite = CompletedStep | (Place & { readonly id: string; readonly deleted: Values });

function describeStep(step: MergeStep) {
  const { create, update, delete: remove } = recordRoutes[step.what];
  switch (step.action) {
    case 'create':
      return { route: create, input: { ...toBody(step.body), ...buildPath(step) } };
    case 'update':
      return { route: update, input: { ...toBody(step.body), ...buildPath(step) } };
    case 'remove_emails':
      return { route: contacts.removeEmails, input: { ...buildPath(step), emails: step.emails } };
    case 'delete':
      return { route: remove, input: buildPath(step) };
  }
}

/** Returns the request of a step. */
export function buildStepRequest(step: MergeStep): WireRequest {
  const { route, input } = describeStep(step);
  return buildRequest(route, input);
}

/** Sends the steps in order, and passes on each that the service has carried out. */
export async function sendSteps(
  client: Client,
  steps: readonly MergeStep[],
  onCompleted: (write: CompletedWrite) => void,
): Promise<void> {
  for (const step of steps) {
    const response = await sendStep(client, step);
    onCompleted(toCompletedWrite(step, response));
  }
}

async function sendStep(client: Client, step: MergeStep): Promise<StoredRecord | null> {
  const { route, input } = describeStep(step);
  try {
    return (await client.record(route, input)).value;
  } catch (error) {
    // It was deleted already: by an earlier run, or by somebody else.
    if (step.action === 'delete' && error instanceof Failure && error.code === 'not_found') return null;
    if (step.action === 'update' && step.restore && isRecordFailure(error) && error.code !== 'unknown') {
      const { id, emails } = step.restore;
      await client.record(contacts.update, { contact_id: id, emails });
    }
    throw error;
  }
}

function toCompletedWrite(step: MergeStep, response: StoredRecord | null): CompletedWrite {
  const { what, list_id } = step;
  const place = { what, ...(list_id !== undefined && { list_id }) };
  switch (step.action) {
    case 'create':
      return { ...place, id: response?.id ?? '', after: response ? pickStoredValues(response) : step.body };
    case 'update': {
      const { id, body, record } = step;
      return {
        ...place,
        id,
        before: pickValues(body, record),
        after: response ? pickValues(body, response) : body,
      };
    }
    case 'remove_emails': {
      const { id, record, emails } = step;
      const left = record.emails?.filter((email) => !emails.includes(email)) ?? [];
      return { ...place, id, before: { emails: record.emails }, after: { emails: left } };
    }
    case 'delete':
      return { ...place, id: step.id, deleted: pickStoredValues(step.record) };
  }
}
