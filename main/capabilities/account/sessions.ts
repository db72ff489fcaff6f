import { hash } from 'node:crypto'
import { LIMITS } from '../../contract/limits.ts'
import type { ConsoleRole } from '../../contract/operation.ts'
import type { Principal } from '../../kernel/access.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { networkOf } from '../../kernel/address-range.ts'
import type { AccountId, Random } from '../../kernel/ids.ts'
import type { KeyDerivation } from '../../kernel/key-derivation.ts'
import { Secret } from '../../kernel/secret.ts'
import { createPasswords, type Passwords } from './password.ts'
import {
  insertSession,
  recordSessionUse,
  removeIdleSessions,
  removeSession,
  removeSessionsOfAccount,
  removeSessionsOfMember,
  removeSessionsOfOperator,
  removeSurplusSessions,
  sessionByHash,
  sessionsOf,
  type SessionOrigin,
} from './session-store.ts'
import { createSignInCodes, type SignInGrant } from './sign-in-codes.ts'
import { accountById, operatorAccount, type Account } from './store.ts'

/** `accountId` is the account of the password; null: the operator's. Only the operator's account can set a new one. */
type Credential =
  | { readonly code: string }
  | { readonly password: string; readonly accountId: string | null }
  | { readonly password: string; readonly email: string }

/**
 * Checks credentials that this room does not know, such as those of members. @param network the network of the
 * client.
 */
export type CredentialSource = (credential: Credential, network: string) => Promise<SignInGrant | undefined>

/** A person signed in to the console in a browser. */
export interface Session {
  /** Names the session inside the process; it is not a credential. */
  readonly id: string
  readonly principal: Principal
}

export interface Sessions extends Passwords {
  /** A code that signs in once, within 15 minutes. */
  readonly newSignInCode: (grant: SignInGrant) => Secret
  /**
   * @returns the token of the new session; undefined when the credential is wrong, used or expired.
   * @throws ApiError rate_limited
   */
  readonly signIn: (credential: Credential, from?: SessionOrigin) => Promise<Secret | undefined>
  readonly addCredentials: (source: CredentialSource) => void
  /**
   * The person as a principal of this account: operators may act in any account, members in their own.
   * @returns undefined if they may not, or the account does not exist.
   */
  readonly actIn: (principal: Principal, accountId: string) => Promise<Principal | undefined>
  /** Whether the operator can sign in with a password as well as with a code. */
  readonly acceptsPassword: () => Promise<boolean>
  /** Counts as a use. @returns undefined when the token is unknown or expired. */
  readonly findSession: (token: string) => Promise<Session | undefined>
  /** Whether the session is still valid; does not count as a use. */
  readonly isSignedIn: (id: string) => Promise<boolean>
  /** Whether it was opened with a sign-in link for a member. */
  readonly isByLink: (id: string) => Promise<boolean>
  readonly signOut: (id: string) => Promise<void>
  /** Open sessions of the account, most recently used first. Members do not see the operator's sessions. */
  readonly listSessions: (viewer: Viewer) => Promise<readonly SignedIn[]>
  /** Ends one session that the viewer can see, or all except `keep`. @returns how many ended. */
  readonly endSessions: (viewer: Viewer, which: { id: string } | { keep: string | null }) => Promise<number>
  /** Runs in the commit that ends the access. */
  readonly endSessionsOf: (tx: Tx, whose: SessionOwner) => Promise<void>
  /** Called for each session that ends. */
  readonly onSessionEnded: (listener: (id: string) => void) => void
}

type Viewer = Pick<Principal, 'accountId' | 'role'>

/** `keepId` is the session to keep; null or absent: none. */
type SessionOwner =
  | { readonly memberId: string; readonly keepId?: string | null }
  | { readonly operatorOf: AccountId; readonly keepId?: string | null }
  | { readonly accountId: AccountId }

interface SignedIn extends SessionOrigin {
  readonly id: string
  /** null: the operator, or somebody with the password of the account. */
  readonly memberName: string | null
  readonly createdAtMs: number
  readonly usedAtMs: number
}

interface Deps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now' | 'mono'>
  readonly random: Random
  readonly keyDerivation: KeyDerivation
}

const TOKEN_BYTES = 32
const TOKEN = /^[A-Za-z0-9_-]{43}$/
const IDLE_MS = LIMITS.sessionIdleHours * 60 * 60_000
const ABSOLUTE_MS = LIMITS.sessionDays * 24 * 60 * 60_000
/** Recording every request would cost more than the request. */
const RECORD_USE_AFTER_MS = 60_000

/** Sign-in of the console in a browser. A session is 256 random bits; only their hash is stored. */
export function createSessions(deps: Deps): Sessions {
  const { db, clock, random } = deps
  const codes = createSignInCodes(deps)
  const { verify, ...passwords } = createPasswords({
    ...deps,
    async onChanged(tx, { accountId, sessionId = null }) {
      await endSessionsOf(tx, { operatorOf: accountId, keepId: sessionId })
      tx.afterCommit(() => codes.endOf(accountId))
    },
  })

  const sources: CredentialSource[] = []
  const grantOf = async (
    credential: Credential,
    network: string,
  ): Promise<(SignInGrant & { giveBack?: () => void }) | undefined> => {
    const local = 'code' in credential ? codes.redeem(credential.code) : undefined
    if (local !== undefined) return local
    const operator = 'accountId' in credential ? await db.readOne(operatorAccount, {}) : undefined
    if ('accountId' in credential && operator && operator.id === (credential.accountId ?? operator.id)) {
      const isStillValid = await verify(operator.id, credential.password, network)
      return isStillValid && { accountId: operator.id, role: 'operator', isStillValid }
    }
    for (const source of sources) {
      const grant = await source(credential, network)
      if (grant !== undefined) return grant
    }
    return undefined
  }

  const hasEnded = ({ usedAtMs, createdAtMs }: Pick<SignedIn, 'usedAtMs' | 'createdAtMs'>) =>
    usedAtMs + IDLE_MS <= clock.now() || createdAtMs + ABSOLUTE_MS <= clock.now()
  const findLive = async (id: string) => {
    const row = await db.readOne(sessionByHash, { hash: Buffer.from(id, 'hex') })
    return row === undefined || hasEnded(row) ? undefined : row
  }

  const listeners: ((id: string) => void)[] = []
  const notifyEnded = (id: string) => listeners.forEach((listener) => listener(id))
  const end = async (ids: readonly string[]) => {
    await db.commit(async (tx) => {
      for (const id of ids) await tx.run(removeSession, { hash: Buffer.from(id, 'hex') })
    })
    ids.forEach(notifyEnded)
  }
  const endSessionsOf: Sessions['endSessionsOf'] = async (tx, whose) => {
    const ended = await removeFor(tx, whose)
    tx.afterCommit(() => ended.forEach(({ hash: stored }) => notifyEnded(Buffer.from(stored).toString('hex'))))
  }
  const listSessions: Sessions['listSessions'] = async ({ accountId, role: viewerRole }) =>
    (await db.read(sessionsOf, { accountId }))
      .filter((row) => !hasEnded(row) && (viewerRole === 'operator' || row.role === 'member'))
      .map(({ hash, role: _role, ...rest }) => ({ id: Buffer.from(hash).toString('hex'), ...rest }))

  const open = async (grant: SignInGrant, from: SessionOrigin): Promise<Secret | undefined> => {
    const token = random.bytes(TOKEN_BYTES).toString('base64url')
    const isIn = await db.commit(async (tx) => {
      if ((await grant.isStillValid?.(tx)) === false) return false
      const now = clock.now()
      await tx.run(removeIdleSessions, { before: now - IDLE_MS })
      const { accountId, role, memberId = null, byLink: isByLink = false } = grant
      const byLink = isByLink ? 1 : 0
      await tx.run(removeSurplusSessions, { accountId, role, kept: LIMITS.sessions - 1 })
      await tx.run(insertSession, { hash: hashOf(token), accountId, role, memberId, byLink, ...from, now })
      return true
    })
    return isIn ? new Secret(token) : undefined
  }

  return {
    ...passwords,
    async acceptsPassword() {
      const account = await db.readOne(operatorAccount, {})
      return account !== undefined && (await passwords.isPasswordSet(account.id))
    },
    newSignInCode: codes.make,
    addCredentials: (source) => void sources.push(source),
    async actIn(principal, accountId) {
      if (principal.kind !== 'console') return undefined
      if (accountId === principal.accountId) return principal
      if (principal.role !== 'operator') return undefined
      const account = await db.readOne(accountById, { id: accountId })
      return account && { ...principal, accountId: account.id, accountName: account.name }
    },
    endSessionsOf,
    async signIn(credential, from = { address: null, browser: null }) {
      const grant = await grantOf(credential, networkOf(from.address ?? ''))
      if (grant === undefined) return undefined
      try {
        return await open(grant, from)
      } catch (error) {
        grant.giveBack?.()
        throw error
      }
    },
    async findSession(token) {
      if (!TOKEN.test(token)) return undefined
      const stored = hashOf(token)
      const id = stored.toString('hex')
      const row = await findLive(id)
      if (!row) return undefined
      if (row.usedAtMs + RECORD_USE_AFTER_MS <= clock.now())
        await db.commit((tx) => tx.run(recordSessionUse, { hash: stored, now: clock.now() }))
      const account = { id: row.accountId, name: row.accountName }
      const { memberId, memberName } = row
      const member = memberId === null ? {} : { member: { id: memberId, name: memberName ?? '' } }
      return { id, principal: { ...consolePrincipal(account, row.role), ...member, sessionId: id } }
    },
    isSignedIn: async (id) => (await findLive(id)) !== undefined,
    isByLink: async (id) => (await findLive(id))?.byLink === 1,
    signOut: (id) => end([id]),
    listSessions,
    async endSessions(viewer, which) {
      const all = await listSessions(viewer)
      const over = all.filter(({ id }) => ('id' in which ? id === which.id : id !== which.keep)).map(({ id }) => id)
      await end(over)
      return over.length
    },
    onSessionEnded: (listener) => void listeners.push(listener),
  }
}

/** A person at an account's console, who has all permissions there. */
export const consolePrincipal = (account: Account, role: ConsoleRole): Principal => ({
  kind: 'console',
  role,
  accountId: account.id,
  accountName: account.name,
  key: null,
  scopes: [],
  allowedInstanceIds: null,
  ratePerMinute: LIMITS.consoleRatePerMinute,
  source: 'console',
})

function removeFor(tx: Tx, whose: SessionOwner) {
  if ('accountId' in whose) return tx.all(removeSessionsOfAccount, whose)
  const kept = Buffer.from(whose.keepId ?? '', 'hex')
  if ('memberId' in whose) return tx.all(removeSessionsOfMember, { memberId: whose.memberId, kept })
  return tx.all(removeSessionsOfOperator, { accountId: whose.operatorOf, kept })
}

const hashOf = (token: string): Buffer => hash('sha256', token, 'buffer')
