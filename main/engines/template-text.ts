type Json = Readonly<Record<string, unknown>>

const PLACE = /\{\{([a-z0-9_]+)\}\}/g

/** A text with the values of a message in place of its variables. @param given parameters of the message. */
export function filledText(text: string, given: readonly Json[]): string {
  const valueOf = valuesByName(namesIn(text), given)
  return text.replaceAll(PLACE, (_place, name: string) => shownText(valueOf(name)))
}

/** Numbered variables take the values in their order, named ones under their name. */
export function valuesByName(names: readonly string[], given: readonly Json[]): (name: string) => Json | undefined {
  const isNamed = names.some((name) => !/^\d+$/.test(name))
  return (name) => (isNamed ? given.find((one) => one['parameter_name'] === name) : given[names.indexOf(name)])
}

export const namesIn = (text: string): string[] => [...new Set([...text.matchAll(PLACE)].map(([, name = '']) => name))]

/** A currency or a date is shown as its fallback. */
function shownText(parameter: Json | undefined): string {
  const { text } = parameter ?? {}
  const { fallback_value: fallback } = parameter === undefined ? {} : recordOf(parameter[parameterType(parameter)])
  return typeof text === 'string' ? text : typeof fallback === 'string' ? fallback : ''
}

export const parameterType = (parameter: Json): string => lower(parameter['type'] ?? 'text')
export const lower = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '')
export const recordOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
export const recordsIn = (value: unknown): Json[] =>
  Array.isArray(value) ? value.filter((one): one is Json => recordOf(one) === one) : []
