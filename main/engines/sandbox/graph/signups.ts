import type { Random } from '../../../kernel/ids.ts'
import { GraphFault, ok, type GraphAnswer } from './answers.ts'
import type { GraphNumbers } from './numbers.ts'
import type { GraphNumber } from './store.ts'
import { WEBHOOK_FIELDS } from './webhook-fields.ts'

/** The operator's app at the simulated Meta. */
export interface GraphApp {
  readonly id: string
  readonly secret: string
}

export type Signups = ReturnType<typeof createSignups>

/** The last step of Meta's signup: a code is exchanged for a token, and the token lists the shared accounts. */
export function createSignups(deps: {
  readonly random: Random
  readonly numbers: GraphNumbers
  readonly app: GraphApp
}) {
  const { random, numbers, app } = deps
  const codes = new Map<string, GraphNumber>()
  let unselected: readonly string[] = []

  return {
    appId: app.id,
    /** The code that the person's browser brings back after they chose this number. Valid once. */
    issue(number: GraphNumber): string {
      const code = random.bytes(18).toString('base64url')
      codes.set(code, number)
      return code
    },
    exchange(form: URLSearchParams): GraphAnswer {
      const number = codes.get(form.get('code') ?? '')
      const isApp = form.get('client_id') === app.id && form.get('client_secret') === app.secret
      if (!isApp || number === undefined)
        throw new GraphFault(400, 100, 'Error validating verification code or client secret')
      codes.delete(form.get('code') ?? '')
      return ok({ access_token: number.accessToken, token_type: 'bearer' })
    },
    /** The webhook fields of the app. Only the app may ask for them. */
    subscriptions(authorization: string | undefined): GraphAnswer {
      if (authorization !== `Bearer ${app.id}|${app.secret}`)
        throw new GraphFault(401, 190, 'Invalid OAuth access token')
      const fields = WEBHOOK_FIELDS.filter((name) => !unselected.includes(name)).map((name) => ({ name }))
      return ok({ data: [{ object: 'whatsapp_business_account', active: true, fields }] })
    },
    /** Unsubscribes the app from these fields, as its owner can do in the App Dashboard. */
    unselect(fields: readonly string[]): void {
      unselected = fields
    },
    debug(authorization: string | undefined, token: string): GraphAnswer {
      if (authorization !== `Bearer ${app.id}|${app.secret}`)
        throw new GraphFault(401, 190, 'Invalid OAuth access token')
      const target_ids = [...new Set(numbers.all().flatMap((one) => (one.accessToken === token ? one.wabaId : [])))]
      const granular_scopes = [{ scope: 'whatsapp_business_management', target_ids }]
      return ok({ data: { app_id: app.id, is_valid: target_ids.length > 0, granular_scopes } })
    },
  }
}
