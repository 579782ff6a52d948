import { rowsOfLists } from './endpoint-rows-of-lists.ts';
import { type Body, rowsOfRecords } from './endpoint-rows-of-records.ts';

/**
 * Every endpoint of the specification (4.1 to 4.8), with the flags of its command: a command line and its main
 * request. `before`: the requests that it sends first.
 */
export const endpointRows = [...rowsOfRecords, ...rowsOfLists].map(
  ([line, method, path, body, before = []]): [
    line: string,
    method: string,
    path: string,
    body: Body | undefined,
    before: string[],
  ] => [line, method, path, body, before],
);

/** The rows whose request writes. */
export const writingRows = endpointRows.filter(([, method]) => method !== 'GET');

/** Responses with a list whose name cannot be an id. */
export const listResponses = {
  '/v1/lists': {
    data: [
      { id: 'l1', name: 'Deals' },
      { id: 'l2', name: 'My list' },
    ],
  },
};
