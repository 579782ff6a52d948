/** ISO 8601 with milliseconds in UTC, from milliseconds since 1970. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** The same for a time that may be missing. */
export function timestampOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : timestamp(milliseconds);
}
