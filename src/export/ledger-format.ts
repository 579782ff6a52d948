import * as v from 'valibot';
import { type StoredWorkspace, WorkspaceIdentity } from '../files/workspace-identity.ts';

/** The name of a file, relative to the folder: in it or in a folder of it, whoever wrote the ledger. */
const Name = v.pipe(v.string(), v.regex(/^(?:[^./\\:\0][^/\\:\0]*\/)?[^./\\:\0][^/\\:\0]*$/));

const Written = v.object({
  name: Name,
  /** Of what was written; a file that has another now was edited. Empty: nothing was. */
  hash: v.string(),
  /** Newer text, beside a file that was to be left as it is. */
  beside: v.exactOptional(v.object({ name: Name, hash: v.string() })),
});
/** A file of a meeting, as it was written. */
export type WrittenFile = Readonly<v.InferOutput<typeof Written>>;

/** The same, with what a run was about to make of it when it was last heard of. */
const KeptFile = v.object({ ...Written.entries, next: v.exactOptional(Written) });
export type LedgerFile = Readonly<v.InferOutput<typeof KeptFile>>;

const KeptRecording = v.object({
  id: v.string(),
  updated_at: v.nullable(v.string()),
  file: v.nullable(Name),
  hash: v.nullable(v.string()),
  state: v.picklist(['exported', 'pending', 'failed', 'gone']),
  /** When it was first found pending: ISO 8601. */
  since: v.exactOptional(v.string()),
  /** The service does not have it, but its meeting still lists it. */
  listed: v.exactOptional(v.literal(true)),
});
/** What is known of a recording. */
export type LedgerRecording = Readonly<v.InferOutput<typeof KeptRecording>>;

const KeptMeeting = v.object({
  id: v.string(),
  title: v.string(),
  updated_at: v.string(),
  /** What its files hold. */
  made: v.string(),
  layout: v.string(),
  files: v.pipe(v.array(KeptFile), v.readonly()),
  recordings: v.pipe(v.array(KeptRecording), v.readonly()),
  /** Files that belong to it no more, left where they are. */
  left: v.exactOptional(v.pipe(v.array(Written), v.readonly())),
  /** Why it could not be exported. */
  failed: v.exactOptional(v.string()),
  /** The service has it no more. */
  gone: v.exactOptional(v.literal(true)),
});
/** What is known of a meeting. */
export type LedgerMeeting = Readonly<v.InferOutput<typeof KeptMeeting>>;

const Filter = v.object({
  contact_id: v.optional(v.string()),
  organization_id: v.optional(v.string()),
});
/** Which meetings an export is about. */
export type ExportFilter = Readonly<v.InferOutput<typeof Filter>>;

const Watermark = v.object({
  filter: Filter,
  made: v.string(),
  /** Seconds since 1970 on the service's clock; without it nothing was seen to its end. */
  at: v.exactOptional(v.number()),
  /** When the whole list was last read, on the clock of this machine. */
  listed: v.exactOptional(v.number()),
});
/** Up to when all that passes a filter was seen, and the options of the runs that saw it. */
export type Watermark = Readonly<v.InferOutput<typeof Watermark>>;

const Owner = v.object({ workspace: v.optional(v.string()), identity: v.optional(WorkspaceIdentity) });

const Line = v.union([
  v.object({ meeting: KeptMeeting }),
  v.object({ watermark: Watermark }),
  v.object({ forgotten: v.string() }),
  v.object({ incomplete: v.literal(true) }),
  v.object({ owner: Owner }),
]);
/** What a line of a ledger says, after the first. The last one of a meeting or a filter holds. */
export type LedgerLine = v.InferOutput<typeof Line>;

/** What a line says; undefined where it cannot be read. */
export function parseLine(text: string): LedgerLine | undefined {
  const { success, output } = v.safeParse(Line, parseJson(text));
  return success ? output : undefined;
}

export const formatLine = (line: LedgerLine) => JSON.stringify(line);

const version = 1;

const Header = v.object({ kith_export: v.number(), ...Owner.entries });

/** The first line. */
export const formatHeader = ({ workspace, identity }: StoredWorkspace) =>
  JSON.stringify({ kith_export: version, workspace, identity });

/** What the first line says; undefined where it is that of no ledger. */
export function parseHeader(
  text: string,
): { readonly isNewer: boolean; readonly owner: StoredWorkspace } | undefined {
  const { success, output } = v.safeParse(Header, parseJson(text));
  if (!success) return undefined;
  const { kith_export, ...owner } = output;
  return { isNewer: kith_export !== version, owner };
}

/** Whether a first line that is not whole may be that of a ledger. */
export function isHeaderStart(text: string): boolean {
  const start = JSON.stringify({ kith_export: version }).slice(0, -1);
  return start.startsWith(text) || text.startsWith(start);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
