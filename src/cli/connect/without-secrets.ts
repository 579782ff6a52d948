import type { Transport } from '../../client/delivery.ts';
import type { WireResponse } from '../../contract/grammar.ts';
import { parseRawJson } from '../../values/raw-json.ts';
import { longWork, yieldToSignals } from '../jobs/long-work.ts';
import type { Redactor } from './secrets.ts';

/**
 * A transport whose answers hold no secret: a service may say the key again, and what it says goes into tables,
 * reports and file names.
 */
export function redactResponses(transport: Transport, { redact }: Pick<Redactor, 'redact'>): Transport {
  return {
    ...transport,
    send: async (request, signal) => {
      const answer = await transport.send(request, signal);
      if ((answer.text ?? '').length < longWork.text) return cleaned(answer, redact);
      await yieldToSignals(signal);
      const clean = cleaned(answer, redact);
      await yieldToSignals(signal);
      return clean;
    },
  };
}

function cleaned(answer: WireResponse, hide: (text: string) => string): WireResponse {
  const headers = Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [name, hide(value)]),
  );
  const { text = '', body } = answer;
  const clean = hide(text);
  if (clean === text) return { ...answer, headers };
  try {
    const value = typeof body === 'string' ? clean : body && parseRawJson(clean).value;
    return { ...answer, headers, text: clean, body: value };
  } catch {
    return answer; // a number that is the key: what is printed is looked through again
  }
}
