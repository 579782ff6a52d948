import * as v from 'valibot';
import { exitCodeList, type FailureCode, failures } from '../errors.ts';
import { describe } from '../grammar.ts';

// The JSON documents that kith itself defines. `npm run generate` writes them as JSON Schema to docs/schemas/.

export const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

const describeText = (description: string) => describe(v.string(), description);
const describeFlag = (description: string) => describe(v.boolean(), description);
const Texts = v.array(v.string());
const optionalTexts = (description: string) => v.optional(describe(Texts, description));

/** A record that a reference may mean. */
const Candidate = v.object({
  id: v.string(),
  name: describeText('The name of the record; empty if it has none'),
  detail: v.optional(describeText('A detail that distinguishes records with the same name')),
  list_id: v.optional(describeText('The list of an entry')),
  command: v.optional(describeText('The command with this record, if there are several')),
});

const failureCodes = Object.keys(failures) as FailureCode[]; // keys() forgets the names

export const ErrorDocument = v.object({
  code: describe(v.picklist(failureCodes), 'The kind of failure, which determines the exit code'),
  message: describeText('The reason, as a sentence for people; its wording may change'),
  status: v.optional(describe(Count, 'The HTTP status of the response')),
  method: v.optional(describeText('The method of the failed request')),
  path: v.optional(describeText('The path of the failed request')),
  request_id: v.optional(describeText("The id of the request in the service's log")),
  details: describe(
    v.array(
      v.object({ pointer: v.string(), code: v.string(), message: v.string(), id: v.optional(v.string()) }),
    ),
    'Validation errors: a JSON pointer to each invalid value, and the id of the record that has a taken value',
  ),
  exit_code: describe(v.picklist(exitCodeList), 'The exit code for this kind of failure'),
  hint: v.optional(describeText('The next step, for people')),
  command: v.optional(describeText('A complete command to run next')),
  retryable: describeFlag(
    'Whether the same command may succeed later; always false if a write may have arrived',
  ),
  retry_after: v.optional(describe(Count, 'Seconds that the service asks to wait before the next attempt')),
  candidates: v.optional(
    describe(v.array(Candidate), 'Records that an ambiguous or unknown reference may mean'),
  ),
});

/** A failure as JSON. */
export type ErrorDocument = v.InferOutput<typeof ErrorDocument>;

/** The object that a failed command prints on stderr. */
export const PrintedError = v.object({
  error: v.object({
    ...ErrorDocument.entries,
    warnings: optionalTexts('The notes and warnings that the command would print on stderr without JSON'),
  }),
});

const ArgumentDocument = v.object({
  name: describeText('The name in the usage line'),
  placeholder: v.optional(describeText('The forms of the value, such as ID|EMAIL')),
  summary: v.string(),
  required: describeFlag('Whether the argument is required if stdin is not a terminal'),
  repeatable: describeFlag('Whether the argument takes one or more values, which only the last one can'),
  choices: optionalTexts('The only values'),
  record: v.optional(describeText('The kind of record that the argument names')),
  references: v.optional(
    describeText('The kind of record that the value refers to, by id or name; `id` accepts only ids'),
  ),
});

const flagTypes = ['boolean', 'integer', 'string', 'json'] as const;

const FlagDocument = v.object({
  name: v.pipe(v.string(), v.regex(/^--[a-z][a-z-]*$/)),
  short: v.optional(v.pipe(v.string(), v.regex(/^-[A-Za-z]$/))),
  type: describe(v.picklist(flagTypes), '`boolean` takes no value; `json` is a JSON object'),
  placeholder: v.optional(describeText('The forms of the value, such as NAME=VALUE')),
  choices: optionalTexts('The only values'),
  default: v.optional(v.union([v.string(), v.number(), v.boolean()])),
  preset: v.optional(describeText('The value if the flag is passed without one')),
  required: v.boolean(),
  repeatable: v.boolean(),
  range: v.optional(v.object({ minimum: v.number(), maximum: v.optional(v.number()) })),
  value_source: v.optional(
    describe(
      v.picklist(['file', 'field']),
      '`file`: the value may be @FILE, or - for stdin; `field`: NAME=@FILE reads the value',
    ),
  ),
  references: v.optional(describeText('The kind of record that the value refers to, by id or name')),
  summary: v.string(),
});

const CommandDocument = v.object({
  path: describe(v.pipe(Texts, v.minLength(1)), 'The words after `kith`'),
  aliases: describe(Texts, 'Synonyms of the first word of the path'),
  summary: v.string(),
  description: v.string(),
  arguments: v.array(ArgumentDocument),
  flags: describe(v.array(FlagDocument), 'The flags of this command only'),
  global_flags: describe(Texts, 'The names of the supported global flags'),
  formats: describe(Texts, 'The values of --format'),
  results: describe(Texts, 'The names of the schemas of its JSON: `contacts[]` is an array of `contacts`'),
  exit_codes: describe(v.array(v.picklist(exitCodeList)), 'The exit codes that the command may return'),
  writes: describeFlag('Whether the command may change the workspace'),
  deletes: describeFlag('Whether the command may delete records, files or settings'),
  creates_only: describeFlag('Whether the command only creates records and never changes existing ones'),
  local: describeFlag('Whether the command never sends requests to a hosted service'),
  uses_files: describeFlag('Whether the command reads or writes local files besides stdin and stdout'),
  needs_terminal: describeFlag(
    'Whether the command needs a terminal, even with --yes, unless its flags replace the prompt',
  ),
  interaction: v.optional(
    describeText('The reason why the command does not run unattended without further flags'),
  ),
  paging: v.optional(
    describe(
      v.picklist(['list', 'search', 'sections']),
      '`list` prints a list and takes --limit, --all and --after; `search` and `sections` only read lists',
    ),
  ),
  examples: describe(Texts, 'Working command lines'),
});

export const CommandsDocument = v.object({
  schema_version: describe(v.literal(1), 'Changes only if a key is removed or its meaning changes'),
  version: describeText('The version of kith'),
  global_flags: v.array(FlagDocument),
  exit_codes: v.array(v.object({ code: v.picklist(exitCodeList), meaning: v.string() })),
  commands: v.array(CommandDocument),
});

export type ArgumentDocument = v.InferOutput<typeof ArgumentDocument>;
export type FlagDocument = v.InferOutput<typeof FlagDocument>;
export type CommandDocument = v.InferOutput<typeof CommandDocument>;

/** All commands, or a part of them, as `kith commands --json` prints them. */
export type CommandsDocument = v.InferOutput<typeof CommandsDocument>;

const Name = v.nullable(v.string());
const RelatedRecord = v.optional(v.object({ name: v.union([Name, v.array(Name)]) }));
const describeValues = (description: string) =>
  v.optional(describe(v.record(v.string(), v.unknown()), description));

/** A record with --format compact. */
export const CompactRow = v.objectWithRest(
  {
    organization: RelatedRecord,
    contact: RelatedRecord,
    list: RelatedRecord,
    custom_fields: describeValues('The values of custom fields by name'),
    list_fields: describeValues('The values of list fields by name'),
  },
  v.unknown(),
);

const PaginationDocument = v.object({
  returned: describe(Count, 'The number of records in `data`'),
  total: describe(v.nullable(Count), 'The number of records in the whole list; null if unknown'),
  truncated: describeFlag('Whether the list has more records, or with a filter may have more'),
  next: describe(v.nullable(v.string()), 'The value of --after that continues the list; null at the end'),
});

export const EnvelopeDocument = v.object({
  data: describe(v.unknown(), 'The output of --json: an array of records, one record, or a value'),
  pagination: describe(v.nullable(PaginationDocument), 'null if the result is not a list'),
  warnings: describe(Texts, 'Notes and warnings about the result'),
});

export type PaginationDocument = v.InferOutput<typeof PaginationDocument>;

/** A result with --json-envelope. */
export type EnvelopeDocument = v.InferOutput<typeof EnvelopeDocument>;
