import { parseUrl } from '../../values/domain.ts';

/** Where a meeting takes place, as the interface names it (specification, 2.8). */
export interface Conference {
  readonly conference_link: string | null;
  readonly conference_type: string | null;
}

/** The tools that are known by the address of a meeting: its host, and the paths that lead into one. */
const tools: readonly { type: string; host: RegExp; path: RegExp }[] = [
  { type: 'Zoom', host: /(^|\.)(zoom\.us|zoom\.com|zoomgov\.com)$/, path: /^\/(j|my|w|s|wc)\/./ },
  { type: 'Google Meet', host: /^meet\.google\.com$/, path: /^\/./ },
  {
    type: 'Microsoft Teams',
    host: /^teams\.(microsoft\.com|live\.com|microsoft\.us)$/,
    path: /^\/(l\/meetup-join|meet|_#\/l\/meetup-join)\/./,
  },
  { type: 'Whereby', host: /(^|\.)whereby\.com$/, path: /^\/./ },
];

/** The first address of a known tool in texts, each of which may be an address, prose or HTML. */
export function findConference(texts: readonly string[]): Conference {
  for (const text of texts) {
    for (const [found] of text.matchAll(/https?:\/\/[^\s<>"'\\]+/gi)) {
      const link = found.replaceAll('&amp;', '&').replace(/[)\].,;:!]+$/, '');
      const type = findTool(parseUrl(link));
      if (type !== undefined) return { conference_link: link, conference_type: type };
    }
  }
  return { conference_link: null, conference_type: null };
}

function findTool(url: URL | undefined): string | undefined {
  if (!url) return undefined;
  const { hostname, pathname, hash } = url;
  const way = `${pathname}${hash}`;
  return tools.find(({ host, path }) => host.test(hostname.toLowerCase()) && path.test(way))?.type;
}
