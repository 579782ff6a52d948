import { DeliveryError } from '../../src/client/delivery.ts';
import { transportTo } from './loopback.ts';

export const idle = new AbortController().signal;
export const get = { method: 'GET', path: '/v1/contacts', query: [] };
export const post = { method: 'POST', path: '/v1/contacts', query: [], body: { first_name: 'Ada' } };

/** Sends a request. Returns its response or its delivery error. */
export async function outcome(url: string, request: typeof get | typeof post = get, timeout = 5000) {
  try {
    const { status, body } = await transportTo(url, { timeout }).send(request, idle);
    return { status, body };
  } catch (error) {
    if (error instanceof DeliveryError) return { sent: error.mayBeDone, message: error.message };
    throw error;
  }
}
