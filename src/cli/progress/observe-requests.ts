import type { ListProgress, RequestObserver } from '../../client/client.ts';
import type { WireRequest } from '../../contract/grammar.ts';
import { singularNouns } from '../../contract/singular-nouns.ts';
import { addArticle, formatInteger, toPlural } from '../../values/text.ts';
import type { Activity } from './activity.ts';

/** The nouns of one record, by the word in the path of a route. */
const nouns: Readonly<Record<string, string>> = {
  ...singularNouns,
  custom_fields: singularNouns.customFields,
  calendar_events: singularNouns.events,
};

const verbs: Readonly<Record<string, string>> = {
  GET: 'Loading',
  POST: 'Creating',
  PATCH: 'Updating',
  DELETE: 'Deleting',
};

/** Describes a request for a person: `Loading contacts: page 3, 200 of 1,250`, `Deleting note n1`. */
export function describeRequest({ method, path }: WireRequest, list?: ListProgress): string {
  const [parent = '', last = ''] = ['', ...path.split('/')].slice(-2);
  const verb = verbs[method];
  const noun = nouns[last];
  const parentNoun = nouns[parent];
  if (verb === undefined || !(noun ?? parentNoun)) return `${method} ${path}`;
  if (!noun) return `${verb} ${parentNoun} ${last}`;
  if (method === 'POST') return `${verb} ${addArticle(noun)}`;
  const { pages = 0, records = 0, total } = list ?? {};
  const count =
    total === undefined
      ? `${formatInteger(records)} records`
      : `${formatInteger(records)} of ${formatInteger(total)}`;
  return `${verb} ${toPlural(noun)}${pages > 0 ? `: page ${pages + 1}, ${count}` : ''}`;
}

/** Shows the requests of a client, and their waits before a retry. */
export function observeRequests(activity: Pick<Activity, 'begin' | 'now'>): RequestObserver {
  return (request, list) => {
    let wait: { readonly reason: string; readonly until: number; readonly count: string } | undefined;
    const end = activity.begin({
      level: 'request',
      describe: () => describeRequest(request, list),
      describeWait() {
        if (!wait) return undefined;
        const seconds = Math.ceil(Math.max(0, wait.until - activity.now()) / 1000);
        return `${wait.reason}, retrying in ${seconds} s (${wait.count})`;
      },
    });
    return {
      end,
      onRetry(reason, milliseconds, count) {
        wait = { reason, until: activity.now() + milliseconds, count };
      },
      onSend() {
        wait = undefined;
      },
    };
  };
}
