import type { Clock } from '../../../kernel/clock.ts'
import type { Db, Tx } from '../../../kernel/db.ts'
import type { Seal } from '../../../kernel/seal.ts'
import { Secret } from '../../../kernel/secret.ts'
import type { Network } from '../../../contract/shapes.ts'
import type { AccountId } from '../../../kernel/ids.ts'
import { BridgeError } from '../bridge.ts'
import { faultOf, RECONNECT, tokenFaultOf } from './faults.ts'
import type { GhlClients, TokenAnswer } from './client.ts'
import { putSession, sessionOf, type SessionRow } from './session-store.ts'
import type { Sides } from './sides.ts'

interface TokensDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly seal: Seal
  readonly clients: GhlClients
  readonly sides: Sides
}

/** The tokens of a location or a company. */
interface NewSession {
  readonly resourceId: string
  readonly accountId: AccountId
  readonly side: Network
  readonly userType: SessionRow['userType']
  readonly companyId: string | null
  readonly tokens: TokenAnswer
}

/** A renewed token pair from GoHighLevel. */
interface Renewal {
  readonly session: NewSession
  /** Version of the row that it replaces; null if there was none. */
  readonly replaces: number | null
}

interface Stored {
  readonly access: string
  readonly refresh: string | null
}

export type Tokens = ReturnType<typeof createTokens>

/** Tokens are renewed this long before they expire. */
const BEFORE_MS = 60_000

const ownerOf = (resourceId: string) => `crm-session:${resourceId}`

/**
 * Tokens of GoHighLevel. A refresh token works once and returns its successor. So each location has one renewal at a
 * time, and the new pair is stored before it is used.
 */
export function createTokens({ db, clock, seal, clients, sides }: TokensDeps) {
  const renewing = new Map<string, Promise<Secret>>()
  /** Renewed pairs whose commit failed; they must be stored before anything else happens. */
  const unstored = new Map<string, Renewal>()

  const rowOf = ({ tokens, ...session }: NewSession) => {
    const pair: Stored = { access: tokens.access_token, refresh: tokens.refresh_token ?? null }
    const tokensEnc = seal.seal(Buffer.from(JSON.stringify(pair)), ownerOf(session.resourceId))
    const expiresAtMs = tokens.expires_in === undefined ? null : clock.now() + tokens.expires_in * 1_000
    return { ...session, tokensEnc, expiresAtMs }
  }

  const put = (tx: Tx, session: NewSession) => tx.run(putSession, rowOf(session))

  const open = ({ resourceId, tokensEnc }: SessionRow): Stored =>
    JSON.parse(seal.open(tokensEnc, ownerOf(resourceId)).open()) as Stored

  /** Does not overwrite a session that was removed or replaced during the renewal. */
  async function store(renewal: Renewal): Promise<Secret> {
    const { session, replaces } = renewal
    const { resourceId } = session
    unstored.set(resourceId, renewal)
    const kept = await db.commit(async (tx) => {
      const now = await tx.one(sessionOf, { resourceId })
      if ((now?.version ?? null) !== replaces) return now ?? 'none'
      await put(tx, session)
      return undefined
    })
    unstored.delete(resourceId)
    if (kept === 'none') throw reconnect()
    return new Secret(kept === undefined ? session.tokens.access_token : open(kept).access)
  }

  async function renewNow(row: SessionRow): Promise<Secret> {
    const { resourceId, accountId, userType, companyId, version: replaces } = row
    const side = sides.get(row.side)
    const { refresh } = open(row)
    if (userType === 'Private' || refresh === null) throw reconnect()
    try {
      const tokens = await clients
        .withApp(side, accountId)
        .forRefresh(refresh, userType)
        .catch((error: unknown) => {
          throw tokenFaultOf(error) ?? faultOf(error, true)
        })
      const session = { resourceId, accountId, side: row.side, userType, companyId, tokens }
      return await store({ session, replaces })
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error
      if (error.fault.kind === 'wait') throw error
      // Another process, or a restored copy of this one, may have used the token and stored its successor.
      const current = await db.readOne(sessionOf, { resourceId })
      if (current !== undefined && open(current).refresh !== refresh) return new Secret(open(current).access)
      // The token was used or revoked. The agency's token may still be valid.
      if (userType === 'Location' && companyId !== null) return ofCompany(resourceId, companyId, replaces)
      throw reconnect(error)
    }
  }

  /** Gets a location's token with the token of its agency. */
  async function ofCompany(locationId: string, companyId: string, replaces: number | null): Promise<Secret> {
    const row = await db.readOne(sessionOf, { resourceId: companyId })
    if (row === undefined) throw reconnect()
    const { accountId, side } = row
    const token = await access(companyId)
    const tokens = await clients
      .withToken(sides.get(side), accountId, token)
      .locationToken(companyId, locationId)
      .catch((error: unknown) => {
        const fault = tokenFaultOf(error) ?? faultOf(error, true)
        throw fault.fault.kind === 'wait' ? fault : reconnect(fault)
      })
    const session = { resourceId: locationId, accountId, side, userType: 'Location', companyId, tokens } as const
    return store({ session, replaces })
  }

  /** One renewal at a time: concurrent callers share its result. */
  function once(resourceId: string, act: () => Promise<Secret>): Promise<Secret> {
    const under = renewing.get(resourceId)
    if (under !== undefined) return under
    const begun = act().finally(() => renewing.delete(resourceId))
    renewing.set(resourceId, begun)
    return begun
  }

  /**
   * A valid access token, renewed if it is about to expire.
   * @param companyId agency of a location that may not have its own token yet.
   * @throws BridgeError reconnect, wait
   */
  async function access(resourceId: string, companyId: string | null = null): Promise<Secret> {
    const late = unstored.get(resourceId)
    if (late !== undefined) return once(resourceId, () => store(late))
    const row = await db.readOne(sessionOf, { resourceId })
    if (row === undefined) {
      if (companyId === null || companyId === resourceId) throw reconnect()
      return once(resourceId, () => ofCompany(resourceId, companyId, null))
    }
    const isFresh = row.expiresAtMs === null || row.expiresAtMs - BEFORE_MS > clock.now()
    return isFresh ? new Secret(open(row).access) : renew(resourceId, new Secret(open(row).access))
  }

  /** Renews after a 401. @param used the refused token: another caller may have renewed it meanwhile. */
  function renew(resourceId: string, used: Secret): Promise<Secret> {
    return once(resourceId, async () => {
      const row = await db.readOne(sessionOf, { resourceId })
      if (row === undefined) throw reconnect()
      const { access: stored } = open(row)
      return used.equals(stored) ? renewNow(row) : new Secret(stored)
    })
  }

  return {
    access,
    renew,
    put,
    /** When the token of a location expires; null if there is none, or it does not expire. */
    expiresAtMs: async (resourceId: string): Promise<number | null> =>
      (await db.readOne(sessionOf, { resourceId }))?.expiresAtMs ?? null,
  }
}

const reconnect = (cause?: unknown) =>
  new BridgeError({ kind: 'reconnect', code: 'reconnect_required' }, RECONNECT, { cause })
