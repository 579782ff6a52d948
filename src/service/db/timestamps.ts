/** Formats milliseconds since 1970 as ISO 8601 with milliseconds in UTC. */
export function formatTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Formats a time that may be missing. */
export function formatTimestampOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : formatTimestamp(milliseconds);
}

/** Formats the times of a record's creation and last change. */
export const formatStamps = (row: { readonly created_at: number; readonly updated_at: number }) => ({
  created_at: formatTimestamp(row.created_at),
  updated_at: formatTimestamp(row.updated_at),
});
