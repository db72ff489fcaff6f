import { charactersIn, INTERACTIVE_LIMITS } from '../../../contract/message-limits.ts'
import { exceededLimit } from '../../official/payload-limits.ts'
import type { Template } from '../../templates.ts'
import { interactiveProblem } from '../interactive-rules.ts'
import { GraphFault, parameterFault } from './answers.ts'

type Json = Readonly<Record<string, unknown>>

/** A message as Graph understood it. */
export interface GraphMessage {
  readonly type: string
  /** Digits, or a Meta user id. */
  readonly to: string
  readonly content: Json
  readonly opaque: string | null
  readonly payload: Json
}

export const asRecord = (value: unknown): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined

const FILES: readonly string[] = ['image', 'video', 'audio', 'document', 'sticker']

/** Reads a message the way Graph does. @throws GraphFault with Graph's codes. */
export function readMessage(payload: Json): GraphMessage {
  if (payload['messaging_product'] !== 'whatsapp') {
    throw parameterFault('The parameter messaging_product is required and must be one of {WHATSAPP}.')
  }
  const { to, recipient, type = 'text', biz_opaque_callback_data: opaque } = payload
  const address = typeof to === 'string' ? to.replaceAll(/[\s()+-]/g, '') : recipient
  if (typeof address !== 'string' || address === '') throw parameterFault('The parameter to is required.')
  if (typeof type !== 'string' || !Object.hasOwn(CHECKS, type))
    throw parameterFault('Param type must be one of the supported types.')
  const content = type === 'contacts' ? { contacts: payload['contacts'] } : asRecord(payload[type])
  if (content === undefined)
    throw new GraphFault(
      400,
      131_009,
      '(#131009) Parameter value is not valid',
      `The parameter ${type} is required for type ${type}.`,
    )
  CHECKS[type]?.(content)
  const exceeded = exceededLimit(payload)
  if (exceeded) throw parameterFault(`Param ${exceeded.field} must have at most ${exceeded.limit} ${exceeded.unit}.`)
  return { type, to: address, content, opaque: typeof opaque === 'string' ? opaque : null, payload }
}

const CHECKS: Readonly<Record<string, (content: Json) => void>> = {
  text({ body }) {
    if (typeof body !== 'string' || body === '') throw parameterFault('The parameter text.body is required.')
  },
  ...Object.fromEntries(FILES.map((type) => [type, requireFile])),
  location({ latitude, longitude }) {
    if (typeof latitude !== 'number' || typeof longitude !== 'number')
      throw parameterFault('location needs latitude and longitude.')
  },
  contacts({ contacts }) {
    if (!Array.isArray(contacts) || contacts.length === 0)
      throw parameterFault('The parameter contacts must be a list.')
  },
  interactive(content) {
    const problem = interactiveProblem(content)
    if (problem !== undefined) throw parameterFault(problem)
  },
  reaction({ message_id: id, emoji }) {
    if (typeof id !== 'string' || typeof emoji !== 'string')
      throw parameterFault('reaction needs message_id and emoji.')
  },
  template({ name }) {
    if (typeof name !== 'string') throw parameterFault('The parameter template.name is required.')
  },
}

const PAUSED = 'It is paused due to low quality.'
const DISABLED = 'It was paused too often.'

function requireFile({ id, link, voice }: Json): void {
  if (voice !== undefined && typeof voice !== 'boolean') throw parameterFault('Param voice must be a boolean.')
  if (typeof id !== 'string' && typeof link !== 'string') throw parameterFault('A media message needs id or link.')
}

/** Refuses a message whose template cannot be sent, or waits for other values. @throws GraphFault */
export function checkTemplate({ content }: GraphMessage, found: Template | undefined): void {
  const { name, language, components } = content
  const code = asRecord(language)?.['code']
  if (found?.status === 'PAUSED') throw new GraphFault(400, 132_015, '(#132015) Template is paused', PAUSED)
  if (found?.status === 'DISABLED') throw new GraphFault(400, 132_016, '(#132016) Template is disabled', DISABLED)
  if (found?.status !== 'APPROVED')
    throw new GraphFault(
      404,
      132_001,
      '(#132001) Template name does not exist in the translation',
      `template name (${String(name)}) does not exist in ${String(code)}`,
    )
  const given = Array.isArray(components) ? components.map(asRecord).filter((one) => one !== undefined) : []
  for (const part of ['header', 'body'] as const) {
    const expected = variablesIn(found, part)
    const parameters = given.find(({ type }) => typeof type === 'string' && type.toLowerCase() === part)?.['parameters']
    const count = Array.isArray(parameters) ? parameters.length : 0
    if (count !== expected) {
      throw new GraphFault(
        400,
        132_000,
        '(#132000) Number of parameters does not match the expected number of params',
        `${part}: number of localizable_params (${count}) does not match the expected number of params (${expected})`,
      )
    }
    const texts = textsOf(parameters)
    for (const [at, text] of texts.entries()) requireParameter(text, `components: ${part}, parameters[${at}]`)
    requireFilledLength(found, part, texts)
  }
}

/** Of the parameters that are texts; undefined where one has none. */
function textsOf(parameters: unknown): unknown[] {
  if (!Array.isArray(parameters)) return []
  const texts = parameters.map(asRecord).filter((parameter) => (parameter?.['type'] ?? 'text') === 'text')
  return texts.map((parameter) => parameter?.['text'])
}

function requireParameter(text: unknown, at: string): void {
  if (typeof text !== 'string' || text.trim() === '')
    throw new GraphFault(
      400,
      131_008,
      '(#131008) Required parameter is missing',
      `${at}: Parameter of type text is missing text value`,
    )
  if (/[\n\r\t]| {5}/.test(text))
    throw new GraphFault(
      400,
      132_018,
      '(#132018) There’s an issue with the parameters in your template',
      `${at}: Param text cannot have new-line/tab characters or more than 4 consecutive spaces`,
    )
}

/** Meta counts the length after filling in the values. */
function requireFilledLength({ components }: Template, part: 'header' | 'body', texts: readonly unknown[]): void {
  const source = components.map(asRecord).find((one) => one?.['type'] === part.toUpperCase())?.['text']
  if (typeof source !== 'string') return
  const filled = source.replaceAll(/\{\{(\d+)\}\}/g, (_place, at: string) => {
    const text = texts[Number(at) - 1]
    return typeof text === 'string' ? text : ''
  })
  if (charactersIn(filled) > INTERACTIVE_LIMITS[part])
    throw new GraphFault(
      400,
      132_005,
      '(#132005) Translated text too long',
      `${part}: the text is too long once its parameters are filled in`,
    )
}

/** How many values a part of a template waits for; a header with a picture waits for the picture. */
function variablesIn({ components }: Template, part: 'header' | 'body'): number {
  const component = components.map(asRecord).find((one) => one?.['type'] === part.toUpperCase())
  if (component === undefined) return 0
  if (part === 'header' && component['format'] !== 'TEXT') return 1
  const { text } = component
  return typeof text === 'string' ? (text.match(/\{\{\d+\}\}/g) ?? []).length : 0
}
