/**
 * Why a value cannot be a parameter of a statement; undefined: it can. Both databases refuse the same values: all our
 * number columns are integers, and PostgreSQL knows no integer Infinity that could be a bound.
 */
export function parameterFault(name: string, value: unknown): string | undefined {
  if (value === undefined) return `The parameter :${name} is missing`
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    return `The parameter :${name} is ${value}, not an integer`
  return undefined
}
