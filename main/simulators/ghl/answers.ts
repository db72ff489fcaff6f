import type { SimulatedAnswer } from '../listener.ts'

/** An error in GoHighLevel's format. */
export class GhlFault extends Error {
  readonly status: number
  readonly error: string | undefined

  constructor(status: number, message: string, error?: string) {
    super(message)
    this.status = status
    this.error = error
  }
}

export const faultAnswer = (
  { status, message, error }: GhlFault,
  headers: Readonly<Record<string, string>> = {},
): SimulatedAnswer => ({ status, headers, body: { statusCode: status, message, ...(error && { error }) } })

export const unauthorized = () => new GhlFault(401, 'Invalid JWT')
/** Answer to a status of a message that GoHighLevel has not forwarded yet: 403, and 401 until June 2025. */
export const tooEarly = (status: 401 | 403) => new GhlFault(status, 'No conversation provider found for this message')
export const forbidden = () => new GhlFault(403, 'The token does not have access to this location.')
export const notFound = (what: string) => new GhlFault(404, `${what} not found`)
export const invalid = (message: string) => new GhlFault(422, message, 'Unprocessable Entity')
