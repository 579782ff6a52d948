import * as v from 'valibot';
import { type ExitCode, exitCodes, type FailureCode, failures } from '../errors.ts';

// The JSON documents that kith itself defines. `npm run generate` writes them as JSON Schema to docs/schemas/.

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** A record that a reference may mean. */
export const Candidate = v.looseObject({
  id: v.string(),
  name: v.pipe(v.string(), v.description('The name of the record; empty if it has none')),
});

const failureCodes = Object.keys(failures) as FailureCode[]; // keys() forgets the names
export const exitCodeNumbers = Object.keys(exitCodes).map((code) => Number(code) as ExitCode);

export const ErrorDocument = v.looseObject({
  code: v.pipe(
    v.picklist(failureCodes),
    v.description('The kind of failure, which determines the exit code'),
  ),
  message: v.pipe(v.string(), v.description('What failed, in a sentence for people; its wording may change')),
  status: v.optional(v.pipe(Count, v.description('The HTTP status of the response'))),
  method: v.optional(v.pipe(v.string(), v.description('The method of the failed request'))),
  path: v.optional(v.pipe(v.string(), v.description('The path of the failed request'))),
  request_id: v.optional(
    v.pipe(v.string(), v.description('The id of the request in the log of the service')),
  ),
  details: v.pipe(
    v.array(v.looseObject({ pointer: v.string(), code: v.string(), message: v.string() })),
    v.description('Validation errors: a JSON pointer to each invalid value'),
  ),
  exit_code: v.pipe(v.picklist(exitCodeNumbers), v.description('The exit code of a command that fails so')),
  hint: v.optional(v.pipe(v.string(), v.description('The next step, for people'))),
  command: v.optional(v.pipe(v.string(), v.description('A complete command to run next'))),
  retryable: v.pipe(
    v.boolean(),
    v.description('Whether the same command may succeed later, and nothing was written in the meantime'),
  ),
  retry_after: v.optional(
    v.pipe(Count, v.description('Seconds that the service asks to wait before the next attempt')),
  ),
  candidates: v.optional(
    v.pipe(v.array(Candidate), v.description('Records that an ambiguous or unknown reference may mean')),
  ),
});

/** A failure as JSON. */
export type ErrorDocument = v.InferOutput<typeof ErrorDocument>;
