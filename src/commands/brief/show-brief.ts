import { type CommandResult, toBatch, toTextResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { findOwnSetting } from '../../cli/connect/settings.ts';
import { withProgress } from '../../cli/progress/progress.ts';
import { formatBriefMarkdown, listBriefSections, renderBrief } from '../../render/screens/brief.ts';
import { views } from '../../render/views.ts';
import { createOwnCheck } from '../../search/relations.ts';
import { createDayFormat } from '../../values/dates.ts';
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
  { html, ...flags }: BriefFlags,
): Promise<CommandResult> {
  const { format } = session.globals;
  const read = () => createBrief(session, who, flags);
  if (html !== undefined) return (await import('../report/write-page.ts')).writePage(session, html, read);
  const { renderMarkdown, renderPage, result } = await read();
  if (format === 'md') return toTextResult(renderMarkdown(), {});
  return format === 'html' ? toTextResult(await renderPage(), {}) : result;
}

async function createBrief(
  session: Session,
  who: string | undefined,
  { tz, maxAge, ledger }: Omit<BriefFlags, 'html'>,
) {
  const brief = await withProgress(session, async (update) => {
    update('Reading records');
    const user = await findOwnSetting(session, 'user');
    const isOwn = await readFacts(session, { maxAge }, (index) => createOwnCheck(index, user));
    const subject = await findSubject(session, who, { maxAge, isOwn });
    return readBrief(session, subject, { limit: session.globals.limit, maxAge, ledger, isOwn });
  });
  const now = session.runtime.now();
  const sections = listBriefSections(brief, now, tz);
  const rows = sections.flatMap(({ name, lines }) => lines.map((line) => ({ section: name, ...line })));
  const result: CommandResult = {
    kind: 'records',
    batches: toBatch(rows.map(toRawJson)),
    view: views.brief,
    render: (style) => () => renderBrief(brief, sections, style),
    document: toRawJson(brief),
    zone: tz,
  };
  const renderPage = async () => {
    const { renderBriefPage } = await import('../../render/report/brief-page.ts');
    return renderBriefPage(brief, sections, createDayFormat(tz)(now.getTime()));
  };
  return { result, renderPage, renderMarkdown: () => formatBriefMarkdown(brief, sections) };
}
