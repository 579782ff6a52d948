import type ICAL from 'ical.js';

/** The library for iCalendar; its classes are types here, and values once it is loaded. */
export type { ICAL };

/** The library as a value. */
export type Ical = typeof ICAL;

/** Loads the library: only an import of calendars needs it. */
export async function loadIcal(): Promise<Ical> {
  return (await import('ical.js')).default;
}
