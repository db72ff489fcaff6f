import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId, Random } from '../../kernel/ids.ts'
import { GhlFault, unauthorized } from './answers.ts'
import type { Companies } from './companies.ts'
import type { GhlFaults } from './faults.ts'
import {
  grantOfRefresh,
  insertCode,
  insertToken,
  locationByToken,
  pruneCodes,
  revokeTokens,
  takeCode,
  takeRefresh,
  tokenByAccess,
  type Grant,
} from './store.ts'

/** The operator's app at the simulated GoHighLevel. */
export interface GhlApp {
  readonly clientId: string
  readonly clientSecret: string
  readonly providerId: string
}

interface OauthDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly random: Random
  readonly app: GhlApp
  readonly companies: Companies
  readonly faults: GhlFaults
}

/** The caller of the API. */
export interface Caller extends Grant {
  /** Uses a private integration token instead of an app's. */
  readonly isPrivate: boolean
}

const CODE_MS = 10 * 60_000
const ACCESS_SECONDS = 86_399

export type Oauth = ReturnType<typeof createOauth>

/** Codes and tokens. A code and a refresh token work once; a new refresh token comes with every access token. */
export function createOauth({ db, clock, random, app, companies, faults }: OauthDeps) {
  const secret = (prefix: string) => `${prefix}${random.bytes(32).toString('base64url')}`

  const answer = async (grant: Grant, refresh: string, access: string) => {
    const { companyId } = await companies.of(grant.accountId)
    const { locationId } = grant
    return {
      access_token: access,
      token_type: 'Bearer',
      expires_in: ACCESS_SECONDS,
      refresh_token: refresh,
      scope:
        'conversations.readonly conversations.write conversations/message.readonly conversations/message.write contacts.readonly contacts.write',
      userType: locationId === null ? 'Company' : 'Location',
      companyId,
      ...(locationId !== null && { locationId }),
      userId: 'sandboxUser000000001',
    }
  }

  const mint = async (take: (tx: Parameters<Parameters<Db['commit']>[0]>[0]) => Promise<Grant | undefined>) => {
    const [refresh, access] = [secret('rt_'), secret('at_')]
    const grant = await db.commit(async (tx) => {
      const found = await take(tx)
      if (found === undefined) return undefined
      const { accountId, locationId } = found
      const expiresAtMs = clock.now() + ACCESS_SECONDS * 1_000
      await tx.run(insertToken, { refresh, access, accountId, locationId, expiresAtMs })
      return found
    })
    if (grant === undefined)
      throw new GhlFault(400, 'Invalid grant: the code or token was used already or expired.', 'invalid_grant')
    return answer(grant, refresh, access)
  }

  return {
    /** The code that the browser returns when a person allows the app. */
    async issueCode(grant: Grant): Promise<string> {
      const code = random.bytes(20).toString('hex')
      await db.commit(async (tx) => {
        const now = clock.now()
        await tx.run(pruneCodes, { now })
        const { accountId, locationId } = grant
        await tx.run(insertCode, { code, accountId, locationId, expiresAtMs: now + CODE_MS })
      })
      return code
    },

    /** POST /oauth/token */
    async token(form: URLSearchParams) {
      const isApp = form.get('client_id') === app.clientId && form.get('client_secret') === app.clientSecret
      if (!isApp) throw new GhlFault(401, 'Invalid client credentials', 'invalid_client')
      if (form.get('grant_type') === 'authorization_code') {
        const code = form.get('code') ?? ''
        return mint(async (tx) => {
          const found = await tx.one(takeCode, { code })
          return found !== undefined && found.expiresAtMs > clock.now() ? found : undefined
        })
      }
      if (form.get('grant_type') === 'refresh_token') {
        const refresh = form.get('refresh_token') ?? ''
        const grant = await db.readOne(grantOfRefresh, { refresh })
        // The token stays valid, and works again once the location is paid for.
        if (grant !== undefined && faults.strikes(grant.accountId, 'location_inactive'))
          throw new GhlFault(400, 'Location is not active')
        return mint((tx) => tx.one(takeRefresh, { refresh }))
      }
      throw new GhlFault(400, 'Unsupported grant type', 'unsupported_grant_type')
    },

    /** POST /oauth/locationToken, with the token of the company. */
    async locationToken(grant: Grant, form: URLSearchParams) {
      const { companyId } = await companies.of(grant.accountId)
      if (grant.locationId !== null || form.get('companyId') !== companyId)
        throw new GhlFault(401, 'This needs the token of the agency.')
      const location = await companies.location(form.get('locationId') ?? '')
      if (location?.accountId !== grant.accountId) throw new GhlFault(400, 'The location is not part of this agency.')
      return mint(() => Promise.resolve({ accountId: grant.accountId, locationId: location.id }))
    },

    /** @throws GhlFault for a token that is unknown, revoked or expired. */
    async authenticate(authorization: string | undefined): Promise<Caller> {
      const token = /^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? ''
      const location = await db.readOne(locationByToken, { token })
      if (location !== undefined) return { accountId: location.accountId, locationId: location.id, isPrivate: true }
      const found = await db.readOne(tokenByAccess, { access: token })
      if (found === undefined || found.expiresAtMs <= clock.now()) throw unauthorized()
      return { ...found, isPrivate: false }
    },

    /** @param locationId null: all locations. */
    async revoke(accountId: AccountId, locationId: string | null): Promise<void> {
      await db.commit((tx) => tx.run(revokeTokens, { accountId, locationId }))
    },
  }
}
