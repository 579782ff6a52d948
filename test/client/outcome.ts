import { DeliveryError } from '../../src/client/delivery.ts';
import { createTransport } from './loopback.ts';

export const neverAborted = new AbortController().signal;
export const getRequest = { method: 'GET', path: '/v1/contacts', query: [] };
export const postRequest = { method: 'POST', path: '/v1/contacts', query: [], body: { first_name: 'Ada' } };

/** Sends a request. Returns its response or its delivery error. */
export async function sendRequest(
  url: string,
  request: typeof getRequest | typeof postRequest = getRequest,
  timeout = 5000,
) {
  try {
    const { status, body } = await createTransport(url, { timeout }).send(request, neverAborted);
    return { status, body };
  } catch (error) {
    if (error instanceof DeliveryError) return { sent: error.mayBeDone, message: error.message };
    throw error;
  }
}
