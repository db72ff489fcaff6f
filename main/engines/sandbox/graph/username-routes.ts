import type { SandboxNetwork } from '../network.ts'
import { GraphFault, ok, parameterFault, SUCCESS, type GraphAnswer } from './answers.ts'
import type { GraphChange } from './callback-bodies.ts'
import type { Callbacks } from './callbacks.ts'
import type { GraphNumbers } from './numbers.ts'
import type { GraphRequest } from './request.ts'
import type { GraphNumber } from './store.ts'

interface UsernameRouteDeps {
  readonly network: Pick<SandboxNetwork, 'usernames'>
  readonly numbers: Pick<GraphNumbers, 'ofPortfolio'>
  readonly callbacks: Pick<Callbacks, 'send'>
}

type Json = Readonly<Record<string, unknown>>

const TITLES: Readonly<Record<number, string>> = {
  147_001: 'Username is not available',
  147_002: 'Account is not eligible to request a username',
  147_003: 'Facebook account must be linked',
  147_004: 'Instagram account must be linked',
  147_005: 'Username belongs to another phone number of the business',
}

export type GraphUsernames = ReturnType<typeof createUsernameRoutes>

/**
 * `/{phone-number-id}/username` and `/username_suggestions` ("Business usernames"). A username is first reserved.
 * People see it after approval, which a callback reports.
 */
export function createUsernameRoutes({ network, numbers, callbacks }: UsernameRouteDeps) {
  const { usernames } = network

  const tell = (number: GraphNumber, username: string, status: 'approved' | 'reserved' | 'deleted') =>
    callbacks.send(number, changeOf(number, username, status))
  const later = (report: () => Promise<void>) => setImmediate(() => void report().catch(() => undefined))

  async function claim(number: GraphNumber, { username, transfer_action: action = 'none' }: Json) {
    if (typeof username !== 'string' || !isUsername(username))
      throw parameterFault('Param username has a wrong format.')
    if (action !== 'none' && action !== 'force_transfer')
      throw parameterFault('Param transfer_action must be one of {none, force_transfer}.')
    if (number.registered === 0)
      throw new GraphFault(400, 133_010, '(#133010) Phone number not registered on the Whatsapp Business Platform.')
    const siblings = new Set(numbers.ofPortfolio(number.portfolioId).map((one) => one.number))
    const wish = { username, status: 'reserved' } as const
    const rules = { isMoved: action === 'force_transfer', sharesPortfolio: (other: string) => siblings.has(other) }
    const code = await usernames.claim(number.accountId, number.number, wish, rules)
    if (code !== null) throw new GraphFault(400, code, `(#${code}) ${TITLES[code] ?? ''}`)
    later(() => tell(number, username, 'reserved'))
    return SUCCESS
  }

  async function remove(number: GraphNumber): Promise<GraphAnswer> {
    const before = await usernames.read(number.accountId, number.number)
    await usernames.release(number.accountId, number.number)
    if (before !== null) later(() => tell(number, before.username, 'deleted'))
    return SUCCESS
  }

  return {
    async ofNumber(number: GraphNumber, request: GraphRequest, jsonOf: (request: GraphRequest) => Json) {
      if (request.method === 'GET') return ok((await usernames.read(number.accountId, number.number)) ?? {})
      return request.method === 'POST' ? claim(number, jsonOf(request)) : remove(number)
    },
    suggestions: (number: GraphNumber): GraphAnswer =>
      ok({ data: [{ username_suggestions: usernames.suggestions(number.number) }] }),
    /** Approves the reserved username, or takes it away. */
    async decide(number: GraphNumber, status: 'approved' | 'deleted'): Promise<void> {
      const { accountId } = number
      const before = await usernames.read(accountId, number.number)
      if (before === null) throw new Error('the number has no username')
      if (status === 'deleted') await usernames.release(accountId, number.number)
      else {
        const rules = { isMoved: false, sharesPortfolio: () => true }
        await usernames.claim(accountId, number.number, { ...before, status }, rules)
      }
      await tell(number, before.username, status)
    },
  }
}

const changeOf = ({ number }: GraphNumber, username: string, status: string): GraphChange => ({
  field: 'business_username_update',
  value: { display_phone_number: number, username, status },
})

/** Meta's rules ("Business usernames", format). */
function isUsername(text: string): boolean {
  const isOfCharacters = /^[\w.]{3,35}$/.test(text) && /[a-z]/i.test(text)
  const hasPeriodsApart = !/^\.|\.\.|\.$/.test(text)
  return (
    isOfCharacters &&
    hasPeriodsApart &&
    !/^www/i.test(text) &&
    !/\.(?:com|org|net|edu|gov|mil|us|in|io|ai|html)$/i.test(text)
  )
}
