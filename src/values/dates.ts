/** Whether a text is a day that exists, `YYYY-MM-DD`. */
export function isDate(text: string | undefined): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text ?? '')) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text ?? '');
}

/** Whether a text is a point in time as ISO 8601, with `Z` or a numeric offset. */
export function isDateTime(text: string | undefined): boolean {
  const [, date] =
    /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/.exec(text ?? '') ?? [];
  return isDate(date) && !Number.isNaN(Date.parse(text ?? ''));
}
