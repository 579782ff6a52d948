import { Failure } from '../contract/errors.ts';
import type { FilterContext } from './comparators.ts';
import { type Expression, parseExpression } from './expression.ts';
import { checkNames, compileFilter, type Filter } from './filter.ts';
import { createFieldFinder, type FieldSource, foldFieldNames } from './noun-fields.ts';

/**
 * Compiles the expression of `--where`. The names of all fields are read only if it is invalid without them.
 * @throws {Failure} usage with the column
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
    if (!(error instanceof Failure) || error.code !== 'usage') throw error;
    const definedFields = source.readDefined ? await source.readDefined().catch(() => undefined) : [];
    if (!definedFields) throw error;
    return parse(foldFieldNames([...source.fields, ...definedFields], source));
  };
  return compileFilter(await parse().catch(parseWithNames), findField, context);
}
