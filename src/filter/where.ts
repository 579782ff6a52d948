import { Failure } from '../contract/errors.ts';
import { quoteShellWord } from '../values/text.ts';
import type { FilterContext } from './comparators.ts';
import { type Expression, parseExpression } from './expression.ts';
import { checkNames, compileFilter, type Filter } from './filter.ts';
import { createFieldFinder, type FieldSource, foldFieldNames, listSourceFields } from './noun-fields.ts';

/**
 * Compiles the expression of `--where`. The names of all fields are read only if it is invalid without them.
 * @throws {Failure} usage with the repaired expression, if its meaning is clear
 */
export async function compileWhere(
  text: string,
  source: FieldSource,
  context: FilterContext,
): Promise<Filter> {
  const findField = createFieldFinder(source);
  const parse = async (names?: ReadonlySet<string>): Promise<Expression> => {
    const expression = parseExpression(text, names);
    await checkNames(expression, findField);
    return expression;
  };
  const parseWithNames = async (error: unknown) => {
    if (!isUsage(error)) throw error;
    const fields = await listSourceFields(source).catch(() => undefined);
    if (!fields) throw error;
    return parse(foldFieldNames(fields, source));
  };
  const expression = await parse()
    .catch(parseWithNames)
    .catch(addRepair(text, source, false));
  return compileFilter(expression, findField, context).catch(addRepair(text, source, true));
}

const isUsage = (error: unknown): error is Failure => error instanceof Failure && error.code === 'usage';

/** Adds the repaired expression to a usage failure. `isParsed`: only a name or a value can be wrong. */
const addRepair = (text: string, source: FieldSource, isParsed: boolean) => async (error: unknown) => {
  // The parser knows both meanings of an ambiguous name.
  if (!isUsage(error) || error.detail.hint?.includes('--where')) throw error;
  const { repairExpression } = await import('./repair.ts');
  const fields = await listSourceFields(source).catch(() => []);
  const repair = repairExpression(text, fields);
  if (!repair || (isParsed && !repair.hasReplacement)) throw error;
  const hint = `Did you mean --where ${quoteShellWord(repair.text)}?`;
  throw new Failure('usage', error.message, { ...error.detail, hint });
};
