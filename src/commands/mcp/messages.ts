import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  InitializeRequestSchema,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { isObject, type JsonObject } from '../../values/json-object.ts';

/** The schemas of the requests that need parameters. */
const requestSchemas = {
  initialize: InitializeRequestSchema,
  'tools/call': CallToolRequestSchema,
  'resources/read': ReadResourceRequestSchema,
  'completion/complete': CompleteRequestSchema,
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
    return { refusal: refuseMessage(ErrorCode.ParseError, 'The message is not valid JSON.') };
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
  const { success, data: message } = JSONRPCMessageSchema.safeParse(source);
  if (!success)
    return refuseMessage(ErrorCode.InvalidRequest, 'The message is not a JSON-RPC 2.0 message.', responseId);
  const schema = Object.entries(requestSchemas).find(([name]) => name === method)?.[1];
  const issue = schema?.safeParse({ params: {}, ...source }).error?.issues[0];
  if (!issue) return { message };
  const problem = `${issue.path.join('.')} of ${method} is missing or invalid.`;
  return refuseMessage(ErrorCode.InvalidParams, problem, responseId);
}

function omitEmptyParameters({ params, ...message }: JsonObject): JsonObject {
  if (params === undefined || params === null) return message;
  if (!isObject(params)) return { ...message, params };
  const isEmpty = ([name, value]: [string, unknown]) => value === null || (name === 'cursor' && value === '');
  const entries = Object.entries(params).filter((entry) => !isEmpty(entry));
  return { ...message, params: Object.fromEntries(entries) };
}
