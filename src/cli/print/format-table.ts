import type { Screen } from '../../render/choose-columns.ts';
import type { GetName, Reference } from '../../render/collect-references.ts';
import type { View } from '../../render/columns.ts';
import { createTimeFormatter, formatTitle } from '../../render/display.ts';
import type { TableStyle } from '../../render/text/paint.ts';
import type { Session } from '../command/context.ts';
import type { Names } from '../references/name-loader.ts';

/** A table, or the details of a record, whose names are loaded batch by batch. */
interface NamedTable {
  readonly view: View;
  readonly style: TableStyle;
  readonly session: Session;
  /** The time zone of times. If omitted, the time zone of this machine. */
  readonly zone?: string | undefined;
  readonly screen?: Screen;
}

/** Formats records as tables. Reports the columns that are hidden after the first batch. */
export async function createTableFormatter({ view, style, session, zone, screen }: NamedTable) {
  const { createTableRenderer } = await import('../../render/table.ts');
  const { loadNames, getName } = createNameLoader(session);
  const isFull = style.width === undefined;
  const formatTime = createTimeFormatter(session.runtime.now(), zone, false);
  const render = createTableRenderer(view, { ...style, display: { getName, formatTime, isFull } }, screen);
  return {
    format: async (records: readonly unknown[]) => {
      await loadNames(render.listReferences(records));
      return render(records);
    },
    describeHiddenColumns: (): string[] => {
      const names = render.getHiddenColumns().map(formatTitle);
      const same = render.listSame();
      const [noun, pronoun] = names.length === 1 ? ['column', 'it'] : ['columns', 'them'];
      return [
        ...(same.length > 0 ? [`In all rows: ${same.join(', ')}.`] : []),
        ...(names.length > 0 ? [`Hidden ${noun}: ${names.join(', ')}. Use --wide to show ${pronoun}.`] : []),
      ];
    },
  };
}

export async function formatDetails(record: unknown, { view, style, session, zone }: NamedTable) {
  const { listDetailReferences, renderDetails } = await import('../../render/details.ts');
  const { readObject } = await import('../../values/json-object.ts');
  const columns = view([readObject(record)]);
  const { loadNames, getName } = createNameLoader(session);
  await loadNames(listDetailReferences(record, columns));
  const formatTime = createTimeFormatter(session.runtime.now(), zone, true);
  const isFormatted = style.width !== undefined && columns.some(({ isMarkdown }) => isMarkdown);
  const markdown = isFormatted && (await import('../../render/terminal-markdown.ts'));
  const detailStyle = markdown ? { ...style, ...markdown } : style;
  return renderDetails(record, detailStyle, columns, { getName, formatTime, isFull: true });
}

/** Returns functions that load and get names. Loads their code only if a record refers to another record. */
export function createNameLoader(session: Session) {
  let names: Names | undefined;
  const loadNames = async (references: readonly Reference[]) => {
    if (references.length === 0) return;
    names ??= (await import('../references/name-loader.ts')).createNames(session);
    await names.load(references);
  };
  const getName: GetName = (kind, id) => names?.get(kind, id) ?? id;
  return { loadNames, getName };
}
