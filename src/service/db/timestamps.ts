/** The latest second that was formatted: the times of a record, and of records that were imported together, share it. */
let latest = { second: Number.NaN, text: '' };

/** Formats milliseconds since 1970 as ISO 8601 with milliseconds in UTC. */
export function formatTimestamp(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1000);
  if (second !== latest.second) {
    latest = { second, text: new Date(second * 1000).toISOString().slice(0, -'000Z'.length) };
  }
  return `${latest.text}${String(milliseconds - second * 1000).padStart(3, '0')}Z`;
}

export function formatTimestampOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : formatTimestamp(milliseconds);
}

/** Formats the times of a record's creation and last change. */
export const formatStamps = (row: { readonly created_at: number; readonly updated_at: number }) => ({
  created_at: formatTimestamp(row.created_at),
  updated_at: formatTimestamp(row.updated_at),
});
