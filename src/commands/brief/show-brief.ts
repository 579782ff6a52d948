import { type CommandResult, toBatch, toTextResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { readIndex } from '../../cli/connect/search-index.ts';
import { findOwnSetting } from '../../cli/connect/settings.ts';
import { withProgress } from '../../cli/progress/progress.ts';
import type { Result } from '../../contract/documents/results.ts';
import { Failure } from '../../contract/errors.ts';
import { formatBriefMarkdown, listBriefSections, renderBrief } from '../../render/screens/brief.ts';
import { views } from '../../render/views.ts';
import { createOwnCheck } from '../../search/relations.ts';
import { createDayFormat } from '../../values/dates.ts';
import { toRawJson } from '../../values/raw-json.ts';
import { findSubject } from './find-subject.ts';
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
  flags: BriefFlags,
): Promise<CommandResult> {
  const { format } = session.globals;
  const read = async () => createForms(session, await loadBrief(session, who, flags), flags.tz);
  if (flags.html !== undefined)
    return (await import('../report/write-page.ts')).writePage(session, flags.html, read);
  const { renderMarkdown, renderPage, result } = await read();
  if (format === 'md') return toTextResult(renderMarkdown(), {});
  return format === 'html' ? toTextResult(await renderPage(), {}) : result;
}

async function loadBrief(
  session: Session,
  who: string | undefined,
  flags: BriefFlags,
): Promise<Result<'brief'>> {
  const user = await findOwnSetting(session, 'user');
  const briefs = readIndex(session, flags.maxAge, async function* (index) {
    const isOwn = createOwnCheck(index, user);
    const subject = await findSubject(session, index, who, isOwn);
    yield await withProgress(session, async (update) => {
      update('Reading records');
      return readBrief(session, subject, { ...flags, index, isOwn });
    });
  });
  for await (const brief of briefs) return brief;
  throw new Failure('internal', 'The search index was not read.');
}

/** Returns the forms in which a brief is printed. */
function createForms(session: Session, brief: Result<'brief'>, zone: string | undefined) {
  const now = session.runtime.now();
  const sections = listBriefSections(brief, now, zone);
  const rows = sections.flatMap(({ name, lines }) => lines.map((line) => ({ section: name, ...line })));
  const result: CommandResult = {
    kind: 'records',
    batches: toBatch(rows.map(toRawJson)),
    view: views.brief,
    render: (style) => () => renderBrief(brief, sections, style),
    document: toRawJson(brief),
    zone,
  };
  const renderPage = async () => {
    const { renderBriefPage } = await import('../../render/report/brief-page.ts');
    return renderBriefPage(brief, sections, createDayFormat(zone)(now.getTime()));
  };
  return { result, renderPage, renderMarkdown: () => formatBriefMarkdown(brief, sections) };
}
