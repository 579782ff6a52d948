import type { SpokenTurn } from '../transcripts/transcript.ts';
import { type Hit, hitsIn, type Search } from './search.ts';

/** What is known of a meeting beside its recordings. */
export interface Meeting {
  readonly event_id: string;
  readonly title: string;
  /** ISO 8601 with an offset. */
  readonly start_at: string;
}

/** A hit, and where it is from. */
export interface Found extends Meeting, Hit {
  readonly recording_id: string;
}

/** What could not be searched, by a name that a person can look for. */
export interface NotSearched {
  readonly name: string;
  readonly reason: string;
}

/** What both ways to search take. */
export interface Searching {
  readonly search: Search;
  /** Looks for it elsewhere; without it, here. */
  readonly elsewhere?: ((turns: readonly SpokenTurn[], search: Search) => Promise<Hit[]>) | undefined;
  readonly onNotSearched: (what: NotSearched) => void;
  readonly onProgress: (done: number, total: number | undefined) => void;
}

/** The hits in a recording. */
export async function foundIn(
  { event_id, title, start_at }: Meeting,
  recording_id: string,
  turns: readonly SpokenTurn[],
  { search, elsewhere }: Searching,
): Promise<Found[]> {
  const hits = elsewhere ? await elsewhere(turns, search) : hitsIn(turns, search);
  return hits.map((hit) => ({ event_id, recording_id, title, start_at, ...hit }));
}
