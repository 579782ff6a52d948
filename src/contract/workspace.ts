import type { RawJson } from '../values/raw-json.ts';
import type { CalendarEvent } from './calendar-events.ts';
import type { Contact } from './contacts.ts';
import type { CustomField } from './custom-fields.ts';
import type { Result } from './documents/results.ts';
import type { Entry } from './entries.ts';
import type { List } from './lists.ts';
import type { Note } from './notes.ts';
import type { Organization } from './organizations.ts';
import type { Received } from './received.ts';
import type { Recording } from './recordings.ts';
import type { Noun } from './singular-nouns.ts';

/** A file with its name, for messages. */
export interface TextFile {
  readonly name: string;
  readonly text: string;
}

/** The files of a recording to import. */
export interface RecordingFiles {
  readonly transcript: TextFile & { readonly format: 'vtt' | 'srt' | 'json' };
  readonly summary: (TextFile & { readonly format: 'json' | 'text' }) | undefined;
  /** The language code of subtitles, which do not contain it; undefined: not known. */
  readonly language: string | undefined;
}

/** Which recording of a meeting an import updates, if no stored one has the same words. */
export interface RecordingChoice {
  /** The id of the recording to update. */
  readonly recording: string | undefined;
  /** Add a recording even if the meeting has one. */
  readonly isAdded: boolean;
}

/** A recording to remove, with its meeting. */
export type RemovableRecording = Result<'removable-recording'>;

/** The number of events that a calendar import skipped. `older`: early occurrences of an event that repeats too often. */
export interface SkippedEvents {
  all_day: number;
  cancelled: number;
  older: number;
}

/** A table of a workspace, with the number of rows that a copy wrote to it. */
export type CopiedRows = Result<'copied-table'>;

/** The records of a workspace by noun. */
export interface WorkspaceRecords {
  readonly customFields: Received<CustomField>;
  readonly organizations: Received<Organization>;
  readonly contacts: Received<Contact>;
  readonly lists: Received<List>;
  readonly entries: Received<Entry>;
  readonly notes: Received<Note>;
  readonly events: Received<CalendarEvent>;
  readonly recordings: Received<Recording>;
}

/** The records to restore. */
export interface RestoreSource {
  /** The id of the workspace, if it is a local one; the restored workspace gets the same. */
  readonly identity?: string | undefined;
  /** Returns the records of a noun in the order of the service. It is called more than once. */
  readonly read: <N extends Noun>(noun: N) => Iterable<RawJson<WorkspaceRecords[N]>>;
}

/** Values of a field, or records, that a restore could not store, for one reason. */
export interface DroppedValues {
  readonly noun: Noun;
  /** Undefined if whole records were dropped. */
  readonly field: string | undefined;
  readonly reason: string;
  readonly count: number;
  /** The ids of the first records. */
  readonly ids: readonly string[];
}

/** The result of a restore. */
export interface RestoreSummary {
  /** The number of stored records of each noun. */
  readonly rows: readonly { readonly noun: Noun; readonly rows: number }[];
  readonly dropped: readonly DroppedValues[];
}

/** Receives the number of records of a noun that were stored so far. */
export type RestoreReport = (noun: Noun, done: number) => void;

/** The address of a server. */
export interface ListenOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Texts in PEM format. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** A proxy terminates TLS, so other machines may use plain HTTP. */
  readonly behindProxy: boolean;
}

/** A request with the status of its response. */
export interface ServedRequest {
  readonly requestId: string;
  /** Undefined if the request could not be parsed and its method could not be read. */
  readonly method: string | undefined;
  /** The path of the route, such as `/v1/contacts/:contact_id`; undefined if no route matches. */
  readonly route: string | undefined;
  readonly status: number;
  /** From the headers of the request to the response; undefined if the request could not be parsed. */
  readonly milliseconds: number | undefined;
  /** The row of the API key; undefined without a valid key. */
  readonly key: number | undefined;
  /** The fault that replaced the response. */
  readonly fault?: Fault | undefined;
  /** Sentences about the ignored parts of the request; only from a lenient service. */
  readonly warnings?: readonly string[] | undefined;
}

export type LogLevel = 'info' | 'warning' | 'error';

/** The log of a server. */
export interface ServerLog {
  /** Logs a message for the operator, about a request if it has an id. */
  readonly write: (level: LogLevel, text: string, requestId?: string) => void;
  /** Logs a request; undefined: requests are not logged. `keyId`: as in the list of keys. */
  readonly writeRequest?: (request: ServedRequest, keyId: string | null) => void;
}

/** A server that listens. */
export interface ServerInfo {
  readonly url: string;
  /** The URL of the metrics, if they have their own port. */
  readonly metricsUrl: string | undefined;
  /** The number of valid API keys. */
  readonly keys: number;
}

/** Seconds for which open connections may send requests to a stopping server. Idle connections are closed after 5 s anyway. */
export const defaultDrain = 5;

/**
 * Returns the milliseconds in which a stopping server completes accepted requests after its drain: 8 s with the drain,
 * because docker kills it after 10 s, but at least 3 s.
 */
export const getStopTimeout = (drain: number) => Math.max(3000, 8000 - drain);

/** The faults that a server can inject: a status, or a connection that is closed without a response. */
export const faults = ['429', '500', '502', '503', '504', 'reset'] as const;

export type Fault = (typeof faults)[number];

/** The faults that a server injects, so that people can test their scripts. */
export interface FaultPlan {
  /** Faults with their probabilities, from 0 to 1; their sum is at most 1. */
  readonly probabilities: readonly (readonly [fault: Fault, probability: number])[];
  /** Milliseconds before each response. */
  readonly delay: number;
  readonly seed: number;
}

/** Options for serving a workspace over HTTP. */
export interface ServeOptions extends ListenOptions {
  /** The port on which metrics are served without a key; undefined: on `port`, with a key. */
  readonly metricsPort: number | undefined;
  readonly log: ServerLog;
  readonly region: string | undefined;
  /** Ignores unknown keys in bodies, and returns the existing entry if a create would duplicate it. */
  readonly isLenient: boolean;
  /** The maximum number of requests per minute and key; undefined: no limit. */
  readonly perMinute: number | undefined;
  /** The maximum number of connections to PostgreSQL; if omitted, 10. */
  readonly poolSize?: number | undefined;
  /** Seconds that one statement may take on PostgreSQL; if omitted, 30. */
  readonly statementTimeout?: number | undefined;
  readonly faultPlan?: FaultPlan | undefined;
  /** Seconds for which open connections may send requests after SIGTERM; if omitted, 5. */
  readonly drain?: number | undefined;
  /** Reads the TLS files again. */
  readonly readTls?: () => Promise<ListenOptions['tls']>;
  /** Receives the function that loads the TLS files again. */
  readonly onReload?: (reload: () => Promise<void>) => void;
  /** Stops the server after the accepted requests. */
  readonly signal: AbortSignal;
  readonly onListening: (server: ServerInfo) => void;
}
