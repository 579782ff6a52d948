/** The parts of a score, with the points that each can add. */
export const defaultWeights = { promise: 40, close: 30, rhythm: 20, date: 15, value: 10 };
export type ScorePart = keyof typeof defaultWeights;
export type Weights = Readonly<Record<ScorePart, number>>;

/** Parses `promise=50,value=0`: an omitted part keeps its default. Undefined if the text is invalid. */
export function parseWeights(text: string): Weights | undefined {
  const matches = text.split(',').map((part) => /^(\w+)=(\d{1,3})$/.exec(part.trim()));
  if (!matches.every((match) => match && Object.hasOwn(defaultWeights, match[1] ?? ''))) return undefined;
  const weights = matches.map((match) => [match?.[1], Number(match?.[2])]);
  return { ...defaultWeights, ...Object.fromEntries(weights) };
}

/** Formats weights as `parseWeights` reads them. */
export const formatWeights = (weights: Weights): string =>
  Object.entries(weights)
    .map(([part, points]) => `${part}=${points}`)
    .join(',');
