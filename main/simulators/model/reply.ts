import { fold } from '../../kernel/search/index.ts'
import { fillSchema } from './fill-schema.ts'
import { listOf, objectOf, type ModelRequest, type Tool } from './conversation.ts'
import { findAnswer } from './knowledge.ts'

export interface Reply {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[]
}

const SEARCH = /faq|search|knowledge|lookup|find/i
const HANDOFF = /hand_?-?off|human|transfer|escalat/i
const SCHEDULE = /^schedule_call$/
const WANTS_CALL = /\b(call me|me liga\w*|me ligue\w*|llamame|llamenme)\b/
const WANTS_PERSON =
  /\b(atendente|humano|humana|pessoa de verdade|falar com (alguem|uma pessoa)|hablar con (alguien|una persona)|human|real person|agent|operator|operador)\b/

/**
 * The answer of an ideal model, always the same for the same request: it searches before it answers, uses only the
 * prompt and tools, and hands over if they contain no answer.
 */
export function replyTo(request: ModelRequest): Reply {
  const lastUser = request.turns.findLastIndex(({ role }) => role === 'user')
  // Prompts fence what people write with tags.
  const question = (request.turns[lastUser]?.text ?? '').replaceAll(/<[^<>]*>/g, ' ').trim()
  const hasResults = request.turns.slice(lastUser + 1).some(({ role }) => role === 'tool')
  const tools = request.toolChoice === 'none' ? [] : request.tools
  const forced = tools.find(({ name }) => name === request.toolChoice)
  if (forced !== undefined) return call(forced, answerSchema(request, forced.schema, question))

  const handoff = tools.find(({ name }) => HANDOFF.test(name))
  const isHandedOver = hasResults && handoff !== undefined && wasCalled(request, lastUser, handoff.name)
  if (!hasResults && handoff !== undefined && WANTS_PERSON.test(fold(question))) {
    return call(handoff, withStrings(handoff, 'The customer asked for a person.'))
  }
  const schedule = tools.find(({ name }) => SCHEDULE.test(name))
  if (!hasResults && schedule !== undefined && WANTS_CALL.test(fold(question))) return call(schedule, { at: '' })
  const search = tools.find(({ name }) => SEARCH.test(name))
  if (!hasResults && search !== undefined) return call(search, withStrings(search, question))

  // If a model supports either tools or a form, the form is a tool.
  const form = tools.find(({ name }) => name === 'json')
  if (form !== undefined) return call(form, answerSchema(request, form.schema, question))
  if (request.schema !== null)
    return { text: JSON.stringify(answerSchema(request, request.schema, question)), calls: [] }
  const found = findAnswer(request, question)
  if (found?.isSure === true) return { text: found.text, calls: [] }
  if (handoff !== undefined && !isHandedOver) return call(handoff, withStrings(handoff, 'No answer was found.'))
  return { text: SORRY[languageOf(question)], calls: [] }
}

function answerSchema(
  request: ModelRequest,
  schema: ModelRequest['system'] | object,
  question: string,
): Record<string, unknown> {
  const found = callArranged(request) ?? findAnswer(request, question)
  const isSure = found?.isSure === true
  return objectOf(
    fillSchema(objectOf(schema), {
      question,
      prompt: request.system,
      reply: isSure ? found.text : SORRY[languageOf(question)],
      confidence: found?.confidence ?? 0,
      needsPerson: !isSure || WANTS_PERSON.test(fold(question)),
    }),
  )
}

const call = ({ name }: Tool, given: Readonly<Record<string, unknown>>): Reply => ({
  text: '',
  calls: [{ name, arguments: given }],
})

/** The result of a call that the person asked for. */
function callArranged(request: ModelRequest) {
  const lastUser = request.turns.findLastIndex(({ role }) => role === 'user')
  if (!wasCalled(request, lastUser, 'schedule_call')) return undefined
  const text = request.turns.findLast(({ role }) => role === 'tool')?.text ?? ''
  return { text, isSure: true, confidence: 1 }
}

/** The required string parameters of a tool, or its first one, all with the same text. */
function withStrings({ schema }: Tool, text: string): Record<string, unknown> {
  const properties = Object.entries(objectOf(schema.properties))
  const required = new Set(listOf(schema.required))
  const filled = properties
    .filter(([name], at) => required.has(name) || (required.size === 0 && at === 0))
    .map(([name, property]) => [
      name,
      objectOf(property).type === 'string' && objectOf(property).enum === undefined
        ? text
        : fillSchema(objectOf(property), { question: text, prompt: '', reply: text, confidence: 0, needsPerson: true }),
    ])
  return Object.fromEntries(filled) as Record<string, unknown>
}

const wasCalled = ({ turns }: ModelRequest, since: number, name: string) =>
  turns.slice(since).some(({ role, text }) => role === 'assistant' && text.includes(`[${name}]`))

const SORRY = {
  pt: 'Não tenho essa informação. Vou chamar uma pessoa da equipe.',
  es: 'No tengo esa información. Voy a llamar a una persona del equipo.',
  en: 'I do not have that information. I will ask a person of the team.',
} as const

const MARKS = {
  pt: /\b(voces?|vcs?|nao|qual|onde|tem|quanto|obrigad[oa]|oi|ola|uma?|e o|do|da)\b/g,
  es: /\b(ustedes|cual|donde|tienen|cuanto|gracias|hola|una?|el|los|las|del|y)\b/g,
  en: /\b(the|you|your|do|does|what|where|how|is|are|thanks|hi|hello|have|an?)\b/g,
} as const

function languageOf(text: string): keyof typeof SORRY {
  const folded = fold(text)
  const count = (language: keyof typeof MARKS) => folded.match(MARKS[language])?.length ?? 0
  return (['en', 'pt', 'es'] as const).reduce((best, one) => (count(one) > count(best) ? one : best))
}
