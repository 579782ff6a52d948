import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../../contract/errors.ts';
import type { WireResponse } from '../../contract/grammar.ts';
import type { Fault, FaultPlan } from '../../contract/workspace.ts';
import { createRandom } from '../../values/random.ts';
import { toProblem } from './problem.ts';

/** Returns the response to a request, or a fault. `onFault` receives the fault; `respond` processes the request. */
export type FaultInjector = (request: {
  readonly socket: Socket;
  readonly id: string;
  readonly onFault: (fault: Fault) => void;
  readonly respond: () => Promise<WireResponse>;
}) => Promise<WireResponse>;

/** With these faults, a client cannot tell whether the service has processed the request. */
const ambiguousFaults: readonly Fault[] = ['500', '502', '504', 'reset'];

/** These faults have a `Retry-After` of 1 second, without which a client does not retry a write after a 503. */
const waitingFaults: readonly Fault[] = ['429', '503'];

/**
 * Injects faults with the given probabilities. The same seed selects the same faults for requests in the same order. For
 * half of the ambiguous faults, the service processes the request first.
 */
export function createFaultInjector({ probabilities, delay, seed }: FaultPlan): FaultInjector {
  const random = createRandom(seed);
  const ranges = listRanges(probabilities);
  return async ({ socket, id, onFault, respond }) => {
    // Each request takes two numbers, so that its fault does not depend on the faults of earlier requests.
    const [position, order] = [random(), random()];
    const fault = ranges.find(({ start, end }) => position >= start && position < end)?.fault;
    if (delay > 0) await wait(delay);
    if (fault === undefined) return respond();
    onFault(fault);
    if (ambiguousFaults.includes(fault) && order < 0.5) await respond();
    if (fault === 'reset') socket.destroy();
    const headers = waitingFaults.includes(fault) ? { 'retry-after': '1' } : {};
    const status = fault === 'reset' ? undefined : Number(fault);
    return toProblem(new Failure('internal', 'This fault was injected by --fault.', { status, headers }), id);
  };
}

/** Returns the range of random numbers that selects each fault. */
function listRanges(probabilities: FaultPlan['probabilities']) {
  let end = 0;
  return probabilities.map(([fault, probability]) => {
    const start = end;
    end += probability;
    return { fault, start, end };
  });
}
