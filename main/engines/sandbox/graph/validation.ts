import { exceededLimit } from '../../official/payload-limits.ts'
import type { Template } from '../../templates.ts'
import { contentIn, contentProblem, isMessageType } from '../payload-rules.ts'
import { parameterFault } from '../template-parameters.ts'
import { GraphFault, parameterFault as wrongParameter } from './answers.ts'

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

/** Reads a message the way Graph does. @throws GraphFault with Graph's codes. */
export function readMessage(payload: Json): GraphMessage {
  if (payload['messaging_product'] !== 'whatsapp') {
    throw wrongParameter('The parameter messaging_product is required and must be one of {WHATSAPP}.')
  }
  const { to, recipient, type = 'text', biz_opaque_callback_data: opaque } = payload
  const address = typeof to === 'string' ? to.replaceAll(/[\s()+-]/g, '') : recipient
  if (typeof address !== 'string' || address === '') throw wrongParameter('The parameter to is required.')
  if (!isMessageType(type)) throw wrongParameter('Param type must be one of the supported types.')
  const content = contentIn(payload, type)
  if (content === undefined)
    throw new GraphFault(
      400,
      131_009,
      '(#131009) Parameter value is not valid',
      `The parameter ${type} is required for type ${type}.`,
    )
  const problem = contentProblem(type, content)
  if (problem !== undefined) throw wrongParameter(problem)
  const exceeded = exceededLimit(payload)
  if (exceeded) throw wrongParameter(`Param ${exceeded.field} must have at most ${exceeded.limit} ${exceeded.unit}.`)
  return { type, to: address, content, opaque: typeof opaque === 'string' ? opaque : null, payload }
}

const PAUSED = 'It is paused due to low quality.'
const DISABLED = 'It was paused too often.'

/** Refuses a message whose template cannot be sent, or whose parameters do not match. @throws GraphFault */
export function checkTemplate({ content }: GraphMessage, found: Template | undefined): void {
  const { name, language } = content
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
  const fault = parameterFault(content, found)
  if (fault !== undefined) throw new GraphFault(400, fault.code, `(#${fault.code}) ${fault.title}`, fault.details)
}
