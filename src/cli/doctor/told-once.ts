import type { Finding } from './checkup.ts';

/**
 * Each cause once: what complains with the words of something that was found wrong was not looked at for itself. Of
 * `causes` any may be what is behind it; the first counts.
 */
export function mergeRepeatedErrors(findings: readonly Finding[], causes: readonly Finding[]): Finding[] {
  const toldBy = new Map<string, string>();
  for (const { check, state, found } of [...causes, ...findings])
    if (state === 'error' && !toldBy.has(found)) toldBy.set(found, check);
  return findings.map((finding) => {
    const cause = toldBy.get(finding.found) ?? finding.check;
    return cause === finding.check ? finding : buildUnchecked(finding.check, cause);
  });
}

const buildUnchecked = (check: string, cause: string): Finding => ({
  check,
  state: 'warning',
  found: `not checked: see ${cause}`,
  advice: `Mend the ${cause} first.`,
});
