import type { Random } from '../../../kernel/ids.ts'

/** What the simulated Graph answers. */
export interface GraphAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: object | Buffer | string
}

/** An error as Graph writes it; thrown anywhere below a route. */
export class GraphFault extends Error {
  readonly status: number
  readonly code: number
  readonly details: string | null
  /** Shown to people; set only for errors outside of messages. */
  readonly userMessage: string | null
  readonly subcode: number | null

  constructor(
    status: number,
    code: number,
    message: string,
    details: string | null = null,
    userMessage: string | null = null,
    subcode: number | null = null,
  ) {
    super(message)
    this.name = 'GraphFault'
    this.status = status
    this.code = code
    this.details = details
    this.userMessage = userMessage
    this.subcode = subcode
  }
}

/** A parameter is missing or wrong, in the words Graph uses. */
export const parameterFault = (details: string) => new GraphFault(400, 100, '(#100) Invalid parameter', details)

export const ok = (body: object): GraphAnswer => ({ status: 200, body })

export const SUCCESS = ok({ success: true })

export function faultAnswer(fault: GraphFault, random: Random): GraphAnswer {
  const { status, code, message, details, userMessage, subcode } = fault
  const data = {
    ...(subcode !== null && { error_subcode: subcode }),
    ...(details !== null && { error_data: { messaging_product: 'whatsapp', details } }),
    ...(userMessage !== null && { error_user_title: 'Invalid parameter', error_user_msg: userMessage }),
  }
  const trace = random.bytes(9).toString('base64url')
  const headers = code === 190 ? { 'www-authenticate': `OAuth "Facebook Platform" "invalid_token" "${message}"` } : {}
  return { status, headers, body: { error: { message, type: 'OAuthException', code, ...data, fbtrace_id: trace } } }
}
