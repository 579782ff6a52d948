import { guides } from '../../cli/guides.ts';
import { type Block, parseMarkdown } from '../../render/markdown.ts';
import { list, macro, prose, verbatim } from './mdoc.ts';
import { formatHead } from './pages.ts';

/** Returns a manual page of section 7 for each guide in docs/, by file name. `readPage` returns its Markdown. */
export function buildGuidePages(date: string, readPage: (name: string) => string): Record<string, string> {
  const pages = Object.entries(guides).map(([name, summary]) => {
    const [, ...blocks] = parseMarkdown(readPage(name));
    const lines = [
      ...formatHead(`kith-${name}`, 7, summary, date),
      '.Sh DESCRIPTION',
      ...blocks.flatMap((block, index) =>
        formatBlock(block, index > 0 && blocks[index - 1]?.kind !== 'heading'),
      ),
    ];
    return [`kith-${name}.7`, `${lines.join('\n')}\n`] as const;
  });
  return Object.fromEntries(pages);
}

function formatBlock(block: Block, isAfterText: boolean): string[] {
  switch (block.kind) {
    case 'heading':
      return [macro(block.level < 3 ? 'Sh' : 'Ss', block.level < 3 ? block.text.toUpperCase() : block.text)];
    case 'paragraph':
      return [...(isAfterText ? ['.Pp'] : []), ...prose(block.text)];
    case 'item':
      return ['.Bl -bullet -compact', '.It', ...prose(block.text), '.El'];
    case 'code':
      return ['.Bd -literal -offset indent', ...block.lines.map(verbatim), '.Ed'];
    case 'table':
      return list(
        block.rows
          .slice(1)
          .map(([term = '', ...rest]) => [macro('It', 'Sy', term), rest.join('; ')] as const),
      );
  }
}
