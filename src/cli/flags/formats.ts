/** The forms in which lists and records are printed. */
export const recordFormats = ['table', 'json', 'ndjson', 'csv', 'tsv'] as const;

/** The forms in which a text is printed. */
export const textFormats = ['text', 'json'] as const;

/** The forms in which a transcript is printed. */
export const transcriptFormats = ['text', 'vtt', 'srt', 'json'] as const;

/** All of them. */
export type Format =
  | (typeof recordFormats)[number]
  | (typeof textFormats)[number]
  | (typeof transcriptFormats)[number];
