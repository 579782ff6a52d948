/** A file as it was read; its name is for complaints. */
export interface TextFile {
  readonly name: string;
  readonly text: string;
}

/** The files that a recording is made from. */
export interface RecordingFiles {
  readonly transcript: TextFile & { readonly format: 'vtt' | 'srt' | 'json' };
  readonly summary: (TextFile & { readonly format: 'json' | 'text' }) | undefined;
  /** A language code of subtitles, which do not say theirs; undefined: not known. */
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

/** What an import of a calendar left out, and how many: `older` are those of events that repeat too often. */
export interface SkippedEvents {
  all_day: number;
  cancelled: number;
  older: number;
}

/** Where and how to listen. */
export interface ListenOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** PEM texts. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** A proxy on the way does TLS: plain HTTP may leave this machine. */
  readonly behindProxy: boolean;
}

/** How a workspace is served over HTTP. */
export interface ServeOptions extends ListenOptions {
  readonly region: string | undefined;
  /** Ignores unknown keys in bodies, and returns the existing entry if a create would duplicate it. */
  readonly isLenient: boolean;
  /** Requests that a key may send in a minute; undefined: any number. */
  readonly perMinute: number | undefined;
  /** Its end stops the server, when what it has accepted is done. */
  readonly signal: AbortSignal;
  /** Told where it listens, and how many keys there are. */
  readonly onListening: (url: string, keys: number) => void;
}
