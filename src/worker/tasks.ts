import type { TextFile } from '../contract/workspace.ts';
import type { Hit, SearchQuery } from '../search/search.ts';
import type { CalendarContext, CalendarFile } from '../service/calendar/calendar-file.ts';
import type { Utterance } from '../transcripts/transcript.ts';

/** Work in one piece that may take for ever, by what a person typed or a file holds; only what is asked for is loaded. */
export const tasks = {
  async checkJq(expression: string): Promise<void> {
    await (await import('./jq.ts')).checkJq(expression);
  },
  async runJq(json: string, expression: string): Promise<string[]> {
    return (await import('./jq.ts')).runJq(json, expression);
  },
  async findHits(turns: readonly Utterance[], search: SearchQuery): Promise<Hit[]> {
    return (await import('../search/search.ts')).findHits(turns, search);
  },
  async readCalendar(file: TextFile, here: CalendarContext): Promise<CalendarFile> {
    return (await import('../service/calendar/calendar-file.ts')).readCalendar(file, here);
  },
};

export type Tasks = typeof tasks;

/** A task as it is sent to the thread. */
export interface TaskRequest {
  readonly id: number;
  readonly name: keyof Tasks;
  readonly args: readonly unknown[];
}

/** What comes back for an order: what the task gave, or what it threw, of which a message keeps only what is named here. */
export type TaskResponse = { readonly id: number } & (
  | { readonly result: unknown }
  | { readonly failure: { code: string; message: string; hint: string | undefined; cause: unknown } }
  | { readonly error: unknown }
);
