import {
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
  specTypeSchemas,
} from '@modelcontextprotocol/server';
import { isObject, type JsonObject, readObject } from '../../values/json-object.ts';

/** The schemas of the requests that need parameters. */
const requestSchemas = {
  initialize: specTypeSchemas.InitializeRequest,
  'tools/call': specTypeSchemas.CallToolRequest,
  'resources/read': specTypeSchemas.ReadResourceRequest,
  'completion/complete': specTypeSchemas.CompleteRequest,
};

/** A JSON-RPC error response. */
export interface Refusal {
  readonly jsonrpc: '2.0';
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
}

export const refuseMessage = (code: number, message: string, id: Refusal['id'] = null): Refusal => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

/**
 * Parses a message of a client, or a batch of messages. Removes null parameters and an empty cursor.
 * Returns the refusal of the first invalid message.
 */
export function parseMessages(
  text: string,
): { readonly messages: JSONRPCMessage[] } | { readonly refusal: Refusal } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { refusal: refuseMessage(ProtocolErrorCode.ParseError, 'The message is not valid JSON.') };
  }
  const messages: JSONRPCMessage[] = [];
  for (const item of Array.isArray(value) && value.length > 0 ? value : [value]) {
    const result = checkMessage(isObject(item) ? omitEmptyParameters(item) : {});
    if ('error' in result) return { refusal: result };
    messages.push(result.message);
  }
  return { messages };
}

function checkMessage(source: JsonObject): { readonly message: JSONRPCMessage } | Refusal {
  const { id, method } = source;
  const responseId = typeof id === 'string' || typeof id === 'number' ? id : null;
  const message = specTypeSchemas.JSONRPCMessage['~standard'].validate(source);
  if (message.issues)
    return refuseMessage(
      ProtocolErrorCode.InvalidRequest,
      'The message is not a JSON-RPC 2.0 message.',
      responseId,
    );
  // The newest revision has no `initialize`: there the library answers that the method does not exist.
  const isUnknown =
    method === 'initialize' && PROTOCOL_VERSION_META_KEY in readObject(readObject(source.params)._meta);
  const schema = Object.entries(requestSchemas).find(([name]) => name === method && !isUnknown)?.[1];
  const [issue] = schema?.['~standard'].validate({ params: {}, ...source }).issues ?? [];
  if (!issue) return { message: message.value };
  const problem = `${issue.path?.join('.')} of ${method} is missing or invalid.`;
  return refuseMessage(ProtocolErrorCode.InvalidParams, problem, responseId);
}

function omitEmptyParameters({ params, ...message }: JsonObject): JsonObject {
  if (params === undefined || params === null) return message;
  if (!isObject(params)) return { ...message, params };
  const isEmpty = ([name, value]: [string, unknown]) => value === null || (name === 'cursor' && value === '');
  const entries = Object.entries(params).filter((entry) => !isEmpty(entry));
  return { ...message, params: Object.fromEntries(entries) };
}
