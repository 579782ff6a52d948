import { formatCount } from './text.ts';

/** Formats seconds as the largest unit: `3 hours`. */
export function formatAge(seconds: number): string {
  if (seconds < 120) return formatCount(Math.round(seconds), 'second');
  if (seconds < 7200) return formatCount(Math.round(seconds / 60), 'minute');
  if (seconds < 172_800) return formatCount(Math.round(seconds / 3600), 'hour');
  return formatCount(Math.round(seconds / 86_400), 'day');
}
