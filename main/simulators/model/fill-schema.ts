import { createSearchIndex } from '../../kernel/search/index.ts'
import { listOf, objectOf, textOf, type JsonSchema } from './conversation.ts'

interface Facts {
  readonly question: string
  /** The instructions, which describe the ids of a choice. */
  readonly prompt: string
  readonly reply: string
  readonly confidence: number
  readonly needsPerson: boolean
}

const DEEPEST = 8

/** A valid value for the schema, derived from the names of its properties. */
export function fillSchema(schema: JsonSchema, facts: Facts, name = '', depth = 0): unknown {
  if (depth > DEEPEST) return null
  if ('const' in schema) return schema.const
  const choices = listOf(schema.enum)
  if (choices.length > 0) return chosen(choices, facts)
  const either = [...listOf(schema.anyOf), ...listOf(schema.oneOf)].map(objectOf)
  if (either.length > 0) return fillSchema(eitherOf(either, facts, name), facts, name, depth + 1)
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).map(textOf)
  const type = types.find((one) => one !== 'null') ?? ''
  const isOptional = types.includes('null')
  if (isOptional && !wants(name, facts)) return null
  if (type === 'object' || 'properties' in schema) return filledObject(schema, facts, depth)
  if (type === 'array') return []
  if (type === 'boolean') return PERSON.test(name) ? facts.needsPerson : false
  if (type === 'number' || type === 'integer') return numberFor(schema, type, name, facts)
  return stringFor(schema, name, facts)
}

const REPLY = /reply|answer|text|message|response|resposta|respuesta|content/i
const PERSON = /handoff|hand_off|human|transfer|escalat|person/i
const REASON = /reason|summary|motiv|resum/i

/** Whether a nullable value is set. */
function wants(name: string, { needsPerson }: Facts): boolean {
  if (PERSON.test(name) || REASON.test(name)) return needsPerson
  return REPLY.test(name)
}

/** null if there is nothing to say, otherwise the first alternative. */
function eitherOf(either: readonly JsonSchema[], facts: Facts, name: string): JsonSchema {
  const nothing = either.find(({ type }) => type === 'null')
  if (nothing !== undefined && !wants(name, facts)) return nothing
  return either.find(({ type }) => type !== 'null') ?? {}
}

function filledObject(schema: JsonSchema, facts: Facts, depth: number): Record<string, unknown> {
  const properties = Object.entries(objectOf(schema.properties))
  return Object.fromEntries(
    properties.map(([name, property]) => [name, fillSchema(objectOf(property), facts, name, depth + 1)]),
  )
}

/** The choice that the question names, otherwise the one that the prompt calls current, otherwise the first. */
function chosen(choices: readonly unknown[], { question, prompt }: Facts): unknown {
  const lines = prompt.split('\n')
  const entries = choices.map((choice, at) => {
    const name = String(choice)
    const line = lines.find((one) => one.includes(name)) ?? ''
    return { id: String(at), text: `${name.replace(/[_-]/g, ' ')} ${line.replace(name, '')}` }
  })
  const { hits, decision } = createSearchIndex(entries).search(question)
  const current = entries.find(({ text }) => /\b(is here|current|atual|actual)\b/i.test(text))
  const best = decision === 'answer' ? hits[0]?.id : current?.id
  return choices[Number(best ?? 0)]
}

function numberFor(schema: JsonSchema, type: string, name: string, { confidence }: Facts): number {
  const least = typeof schema.minimum === 'number' ? schema.minimum : 0
  const value = /confidence|score|certainty/i.test(name) ? Math.round(confidence * 100) / 100 : least
  return type === 'integer' ? Math.round(value) : value
}

function stringFor(schema: JsonSchema, name: string, { reply, question, needsPerson }: Facts): string {
  const text = REASON.test(name)
    ? needsPerson
      ? `Asked: ${question}`
      : 'Answered.'
    : REPLY.test(name)
      ? reply
      : question
  return typeof schema.maxLength === 'number' ? text.slice(0, schema.maxLength) : text
}
