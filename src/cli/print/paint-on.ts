import { type Paint, unpainted } from '../../render/paint.ts';
import type { Environment } from '../../settings/places.ts';
import type { Sink } from '../context.ts';

/** Emphasis on a stream: where it is a terminal that can show colours, unless its environment says otherwise. */
export async function paintOn({ isTerminal }: Sink, env: Environment): Promise<Paint> {
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0';
  const refused = Boolean(env.NO_COLOR) || env.TERM === 'dumb' || env.FORCE_COLOR === '0';
  if (refused || !(forced || isTerminal)) return unpainted;
  return (await import('../../render/colors.ts')).colours;
}
