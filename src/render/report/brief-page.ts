import type { Result } from '../../contract/documents/results.ts';
import { type BriefSection, listItems } from '../screens/brief.ts';
import { renderPage, toName } from './page.ts';

/** Renders a brief as an HTML page. */
export function renderBriefPage(
  { name, about }: Result<'brief'>,
  sections: readonly BriefSection[],
  day: string,
): string {
  const parts = sections.map((section) => {
    const items = listItems(section).map(([text = '', detail]) => {
      return `<li>${toName(text)}${detail === undefined ? '' : `<small>${toName(detail)}</small>`}</li>`;
    });
    return `<section>\n<h2>${section.heading}</h2>\n<ul class="lines">\n${items.join('\n')}\n</ul>\n</section>`;
  });
  const facts = [day, ...about].map((fact) => `<li>${toName(fact)}</li>`).join('');
  const header = `<header>\n<h1>${toName(name)}</h1>\n<ul class="facts">${facts}</ul>\n</header>`;
  return renderPage(name, [header, ...parts, '<footer><p>Made with kith.</p></footer>']);
}
