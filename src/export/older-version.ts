import { parse } from 'yaml';
import { type Fields, fieldsOf } from '../render/fields.ts';
import { scanRawObject } from '../values/raw-json.ts';
import { factNames, renderHead } from './markdown.ts';

/** The two parts of a file: the facts of the calendar event, and the text of its recordings. */
interface Parts {
  readonly event: Fields;
  readonly recordings: string;
}

const splitByEnd: Readonly<Record<string, (text: string) => Parts | undefined>> = {
  '.md': splitMarkdown,
  '.json': splitJson,
};

/**
 * Whether a file is what an export wrote before its calendar event was updated: it has the same text of the recordings,
 * and facts in the format of an export with an older `updated_at`.
 */
export function isOlderVersion(end: string, bytes: Uint8Array, current: Uint8Array): boolean {
  const split = splitByEnd[end];
  const [old, now] = [bytes, current].map((text) => split?.(Buffer.from(text).toString()));
  if (!old || !now) return false;
  const isSame = old.recordings === now.recordings && old.event.id === now.event.id;
  return isSame && Date.parse(String(old.event.updated_at)) < Date.parse(String(now.event.updated_at));
}

/** Returns undefined if somebody changed the front matter or the heading. */
function splitMarkdown(text: string): Parts | undefined {
  const [head, frontMatter] = /^---\n(.*?\n)---\n\n# [^\n]*\n/s.exec(text) ?? [];
  if (head === undefined || frontMatter === undefined) return undefined;
  const event = unlessMalformed(() => fieldsOf(parse(frontMatter)));
  const names = Object.keys(event ?? {});
  const isOwn = event && names.join() === factNames.filter((name) => names.includes(name)).join();
  if (!isOwn || renderHead(event) !== head) return undefined;
  return { event, recordings: text.slice(head.length) };
}

/** Returns undefined if somebody reformatted the JSON. */
function splitJson(text: string): Parts | undefined {
  const members = unlessMalformed(() => scanRawObject(text, 'data')?.members);
  const [event = 'null', recordings = 'null'] = ['calendar_event', 'recordings'].map((name) =>
    members?.get(name),
  );
  if (text !== `{"calendar_event":${event},"recordings":${recordings}}\n`) return undefined;
  const facts = unlessMalformed(() => fieldsOf(JSON.parse(event)));
  return facts && { event: facts, recordings };
}

/** Returns the result of a parser; undefined if it throws. */
function unlessMalformed<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
