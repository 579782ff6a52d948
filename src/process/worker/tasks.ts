import type { Failure } from '../../contract/errors.ts';
import type { TextFile } from '../../contract/workspace.ts';
import type { CalendarContext } from '../../service/calendar/calendar-file.ts';
import type { Hit, SearchQuery } from '../../transcripts/grep/grep.ts';
import type { Utterance } from '../../transcripts/transcript.ts';
import type { JqEnvironment } from './jq.ts';

/** Tasks that may take long or forever, depending on their input. Each loads its own code. */
export const tasks = {
  async checkJq(expression: string): Promise<void> {
    await (await import('./jq.ts')).checkJq(expression);
  },
  async runJq(json: string, expression: string, env: JqEnvironment = {}): Promise<string[]> {
    return (await import('./jq.ts')).runJq(json, expression, env);
  },
  async findHits(utterances: readonly Utterance[], search: SearchQuery): Promise<Hit[]> {
    return (await import('../../transcripts/grep/grep.ts')).findHits(utterances, search);
  },
  async readCalendar(file: TextFile, here: CalendarContext) {
    return (await import('../../service/calendar/calendar-file.ts')).readCalendar(file, here);
  },
};

export type Tasks = typeof tasks;

export interface TaskRequest {
  readonly id: number;
  readonly name: keyof Tasks;
  readonly args: readonly unknown[];
}

/** The result or the error of a task. A Failure is sent as its parts, because a message keeps no other classes. */
export type TaskResponse = { readonly id: number } & (
  | { readonly result: unknown }
  | { readonly failure: Pick<Failure, 'code' | 'message' | 'detail'> }
  | { readonly error: unknown }
);
