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
export interface RemovableRecording {
  readonly id: string;
  readonly calendar_event_id: string;
  readonly title: string;
  readonly start_at: string;
  /** The meeting has no other completed recording and will no longer be listed. */
  readonly isLast: boolean;
}

/** The number of events that a calendar import skipped. `older`: early occurrences of an event that repeats too often. */
export interface SkippedEvents {
  all_day: number;
  cancelled: number;
  older: number;
}

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

/** Options for serving a workspace over HTTP. */
export interface ServeOptions extends ListenOptions {
  readonly region: string | undefined;
  /** Ignores unknown keys in bodies, and returns the existing entry if a create would duplicate it. */
  readonly isLenient: boolean;
  /** The maximum number of requests per minute and key; undefined: no limit. */
  readonly perMinute: number | undefined;
  /** The maximum number of connections to PostgreSQL; if omitted, 10. */
  readonly poolSize?: number | undefined;
  /** Seconds that one statement may take on PostgreSQL; if omitted, 30. */
  readonly statementTimeout?: number | undefined;
  /** Stops the server after the accepted requests. */
  readonly signal: AbortSignal;
  /** Called with the URL and the number of API keys. */
  readonly onListening: (url: string, keys: number) => void;
}
