import type { Component } from './template-buttons.ts'

/** A file uploaded for a header. */
export interface HeaderFile {
  readonly mediaId: string
  readonly name: string
  /** For the preview, valid while this window is open. */
  readonly url: string
}

/** Example values by the name of the variable. */
export type Examples = Readonly<Record<string, string>>

const VARIABLE = /\{\{([a-z0-9_]+)\}\}/g

/** The names or numbers between double braces, in order and without duplicates. */
export const variablesIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(VARIABLE)].map(([, name = '']) => name)),
]

/** Fills in the example values. A variable without an example stays as it is. */
export const filledText = (text: string, examples: Examples): string =>
  text.replaceAll(VARIABLE, (place, name: string) => examples[name]?.trim() || place)

export const textAt = (from: Component | undefined, name: string): string => {
  const value = from?.[name]
  return typeof value === 'string' ? value : ''
}

export function examplesOf(part: 'header' | 'body', component: Component | undefined): Examples {
  const given = (component?.example ?? {}) as Readonly<Record<string, unknown>>
  const named = given[`${part}_text_named_params`]
  if (Array.isArray(named))
    return Object.fromEntries((named as Component[]).map((one) => [textAt(one, 'param_name'), textAt(one, 'example')]))
  const listed = given[`${part}_text`]
  const texts: unknown[] = Array.isArray(listed) ? (Array.isArray(listed[0]) ? listed[0] : listed) : []
  const at = (index: number) => (typeof texts[index] === 'string' ? texts[index] : '')
  return Object.fromEntries(variablesIn(textAt(component, 'text')).map((name, index) => [name, at(index)]))
}

/** The text with its example values, in the format of the Graph API. */
export function withExample(examples: Examples, part: 'header' | 'body', text: string): Component {
  const names = variablesIn(text)
  if (names.length === 0) return { text }
  const values = names.map((name) => examples[name]?.trim() ?? '')
  const isNamed = names.some((name) => !/^\d+$/.test(name))
  const given = isNamed
    ? { [`${part}_text_named_params`]: names.map((name, at) => ({ param_name: name, example: values[at] })) }
    : { [`${part}_text`]: part === 'body' ? [values] : values }
  return { text, example: given }
}

/** Appends another numbered variable to the text. */
export function withVariable(text: string): string {
  const numbers = variablesIn(text).map(Number).filter(Number.isInteger)
  return `${text}${/\s$|^$/.test(text) ? '' : ' '}{{${Math.max(0, ...numbers) + 1}}}`
}
