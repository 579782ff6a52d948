import { type CommandResult, toBatch, toTextResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { findOwnSetting } from '../../cli/connect/settings.ts';
import { withProgress } from '../../cli/progress/progress.ts';
import {
  formatBriefMarkdown,
  listBriefSections,
  renderBrief,
  toBriefRows,
} from '../../render/screens/brief.ts';
import { views } from '../../render/views.ts';
import { findOwnAddress } from '../../search/relations.ts';
import { extractEmailHost, normalizeEmail, publicMailHosts } from '../../values/domain.ts';
import { toRawJson } from '../../values/raw-json.ts';
import { findSubject, readFacts } from './find-subject.ts';
import { readBrief } from './read-brief.ts';

interface BriefFlags {
  readonly html: string | undefined;
  readonly tz: string | undefined;
  readonly maxAge: number | undefined;
  readonly ledger: string | undefined;
}

export async function showBrief(
  session: Session,
  who: string | undefined,
  { tz, maxAge, ledger }: BriefFlags,
): Promise<CommandResult> {
  const { format, limit } = session.globals;
  const brief = await withProgress(session, async (update) => {
    update('Reading records');
    const isOwn = await createOwnCheck(session, maxAge);
    const subject = await findSubject(session, who, { maxAge, isOwn });
    return readBrief(session, subject, { limit, maxAge, ledger, isOwn });
  });
  const sections = listBriefSections(brief, session.runtime.now(), tz);
  if (format === 'md') return toTextResult(formatBriefMarkdown(brief, sections), {});
  return {
    kind: 'records',
    batches: toBatch(toBriefRows(sections).map(toRawJson)),
    view: views.brief,
    render: (style) => () => renderBrief(brief, sections, style),
    document: toRawJson(brief),
    zone: tz,
  };
}

/**
 * Returns the function that tells whether an address is one of ours: it has the domain of the user, or else of the
 * address that attends the most meetings.
 */
async function createOwnCheck(session: Session, maxAge: number | undefined) {
  const frequent = await readFacts(session, { maxAge }, findOwnAddress);
  const own = normalizeEmail((await findOwnSetting(session, 'user')) ?? frequent ?? '');
  const host = extractEmailHost(own);
  return (address: string) =>
    address === own || (extractEmailHost(address) === host && !publicMailHosts.has(host));
}
