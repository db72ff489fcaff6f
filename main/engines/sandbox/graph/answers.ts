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

  constructor(status: number, code: number, message: string, details: string | null = null) {
    super(message)
    this.name = 'GraphFault'
    this.status = status
    this.code = code
    this.details = details
  }
}

/** A parameter is missing or wrong, in the words Graph uses. */
export const parameterFault = (details: string) => new GraphFault(400, 100, '(#100) Invalid parameter', details)

export const ok = (body: object): GraphAnswer => ({ status: 200, body })

export const SUCCESS = ok({ success: true })

export function faultAnswer({ status, code, message, details }: GraphFault, random: Random): GraphAnswer {
  const data = details === null ? {} : { error_data: { messaging_product: 'whatsapp', details } }
  const trace = random.bytes(9).toString('base64url')
  const headers = code === 190 ? { 'www-authenticate': `OAuth "Facebook Platform" "invalid_token" "${message}"` } : {}
  return { status, headers, body: { error: { message, type: 'OAuthException', code, ...data, fbtrace_id: trace } } }
}
