/**
 * The parameters of a template. Meta refuses empty ones, and those with line breaks, tabs or more than four spaces in
 * a row, all of which are common in imported lists.
 */

type Json = Readonly<Record<string, unknown>>

interface TemplatePart {
  /** `header`, `body` or `button`. */
  readonly part: string
  readonly texts: readonly string[]
}

/** @returns an empty list for a payload that is not a template. */
export function templateParts(payload: object): TemplatePart[] {
  return withCards(componentsOf(payload)).map((component) => ({
    part: String(component['type']).toLowerCase(),
    texts: recordsIn(component['parameters']).flatMap((parameter) => {
      const text = textIn(parameter)
      return text === undefined ? [] : [text]
    }),
  }))
}

/** Replaces white space in the texts by single spaces, and leaves everything else unchanged. */
export function withCleanParameters(payload: object): object {
  const components = componentsOf(payload)
  if (components.length === 0) return payload
  const { template } = payload as { readonly template: Json }
  return { ...payload, template: { ...template, components: components.map(cleaned) } }
}

/** Includes the components of a carousel's cards. */
const withCards = (components: readonly Json[]): Json[] =>
  components.flatMap((component) => [
    component,
    ...recordsIn(component['cards']).flatMap((card) => recordsIn(card['components'])),
  ])

const cleanedCard = (card: Json): Json => ({ ...card, components: recordsIn(card['components']).map(cleaned) })

const cleaned = (component: Json): Json =>
  Array.isArray(component['cards'])
    ? { ...component, cards: recordsIn(component['cards']).map(cleanedCard) }
    : Array.isArray(component['parameters'])
      ? { ...component, parameters: component['parameters'].map((parameter: unknown) => cleanedParameter(parameter)) }
      : component

function cleanedParameter(parameter: unknown): unknown {
  const text = isRecord(parameter) ? textIn(parameter) : undefined
  return text === undefined ? parameter : { ...(parameter as Json), text: text.replaceAll(/\s+/g, ' ').trim() }
}

const textIn = ({ type, text }: Json): string | undefined =>
  (type === undefined || type === 'text') && typeof text === 'string' ? text : undefined

function componentsOf(payload: object): Json[] {
  const { type, template } = payload as Json
  return type === 'template' && isRecord(template) ? recordsIn(template['components']) : []
}

const recordsIn = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isRecord) : [])

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
