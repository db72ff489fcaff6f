import { hash, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import type { Creator, Principal } from '../../kernel/access.ts'
import { dueIn } from '../../kernel/due.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, Ids, Random } from '../../kernel/ids.ts'
import type { KeyDerivation } from '../../kernel/key-derivation.ts'
import { SCRYPT_COST } from '../../kernel/scrypt.ts'
import type { Accounts, CredentialSource } from '../account/index.ts'
import type { Member, MemberAccess } from './contract.ts'
import {
  emailTaken,
  insertMember,
  markSeen,
  memberById,
  membersOfAccount,
  membersToRemove,
  passwordByEmail,
  passwordOfMember,
  memberByInvitation,
  redeemInvitation,
  removeMember,
  setInvitation,
  setPassword,
  sharedPasswordOf,
  toMember,
  type MemberRow,
} from './store.ts'

export interface MembersDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now' | 'movedMs'>
  readonly ids: Pick<Ids, 'batch'>
  readonly random: Pick<Random, 'bytes'>
  readonly keyDerivation: KeyDerivation
  readonly accounts: Pick<
    Accounts,
    | 'addCredentials'
    | 'isByLink'
    | 'endSessionsOf'
    | 'endAccess'
    | 'keysCreatedBy'
    | 'keysOfUnknownCreator'
    | 'revokeKeys'
  >
  /** Access links that are still valid. */
  readonly linksCreatedBy: (creator: Creator) => Promise<readonly OpenLink[]>
  /** Secrets of CRM webhooks that they saw. */
  readonly crmSecretsOf: (
    creator: Creator,
  ) => Promise<readonly { readonly instanceId: string; readonly instanceName: string; readonly last4: string }[]>
  readonly address: () => { readonly url: string; readonly reachable: 'everywhere' | 'network' | 'computer' }
}

interface OpenLink {
  readonly id: string
  readonly instanceId: string
  readonly instanceName: string
  readonly permanent: 0 | 1
  readonly last4: string
  readonly expiresAtMs: number | null
}

export type Members = ReturnType<typeof createMembers>

const creatorOfMember = (id: string): Creator => `member:${id}`

type Caller = Pick<Principal, 'accountId' | 'member' | 'sessionId'>

const TOKEN_BYTES = 32
const TOKEN = /^[A-Za-z0-9_-]{43}$/
const hashOf = (token: string): Buffer => hash('sha256', token, 'buffer')
const DAY_MS = 86_400_000

/** People invited to one account: a link signs in once, then they use their own password. */
export function createMembers(deps: MembersDeps) {
  const { db, clock, ids, random, keyDerivation, accounts, address } = deps

  const signIn: CredentialSource = async (credential, network) => {
    const now = clock.now()
    if ('code' in credential) {
      if (!TOKEN.test(credential.code)) return undefined
      const invitation = hashOf(credential.code)
      const found = await db.readOne(memberByInvitation, { invitation, now })
      if (found === undefined) return undefined
      // Runs in the commit that creates the session, so a link stays valid if the sign-in fails.
      const isStillValid = async (tx: Tx) => (await tx.one(redeemInvitation, { invitation, now })) !== undefined
      return { accountId: found.accountId, role: 'member', memberId: found.id, byLink: true, isStillValid }
    }
    // For a shared password, the account's id stands in place of an email address.
    const name = ('email' in credential ? credential.email : credential.accountId) ?? ''
    const stored = await db.readOne(passwordByEmail, { email: name.trim().toLowerCase() })
    // Takes as long for unknown members, so that timing does not reveal who is a member.
    const { salt = null, cost = null, hash: expected = null } = stored ?? {}
    const { password } = credential
    const made = await keyDerivation.forSignIn(network, password, salt ?? Buffer.alloc(16), cost ?? SCRYPT_COST)
    if (stored === undefined || expected === null || !timingSafeEqual(made, expected)) return undefined
    await db.commit((tx) => tx.run(markSeen, { id: stored.id, now }))
    const isStillValid = async (tx: Tx) => {
      const { hash: current = null } = (await tx.one(passwordOfMember, { id: stored.id })) ?? {}
      return current !== null && Buffer.from(current).equals(made)
    }
    return { accountId: stored.accountId, role: 'member', memberId: stored.id, isStillValid }
  }
  accounts.addCredentials(signIn)

  const newInvitation = () => {
    const token = random.bytes(TOKEN_BYTES).toString('base64url')
    const expiresAt = dueIn(clock, LIMITS.invitationDays * DAY_MS)
    const { url, reachable } = address()
    return { invitation: hashOf(token), expiresAt, shown: { url: `${url}/console/#code=${token}`, reachable } }
  }

  const find = async (read: Pick<Tx, 'one'>, accountId: AccountId, id: string): Promise<MemberRow> => {
    const row = await read.one(memberById, { id: id.toLowerCase(), accountId })
    if (row === undefined) throw new ApiError('not_found', 'This account has no member with this id.')
    return toMember(row)
  }

  /**
   * Keys that the member created in any account, and keys that the member may have created: with the shared password,
   * or before creators were recorded.
   */
  async function revocableKeys(read: Pick<Tx, 'all'>, accountId: AccountId, memberId: string) {
    const own = await accounts.keysCreatedBy(read, creatorOfMember(memberId))
    const unknown = await accounts.keysOfUnknownCreator(read, accountId)
    for (const { id } of await read.all(sharedPasswordOf, { accountId }))
      if (id !== memberId) unknown.push(...(await accounts.keysCreatedBy(read, creatorOfMember(id))))
    return [...own.map((key) => ({ key, isOwn: true })), ...unknown.map((key) => ({ key, isOwn: false }))]
  }

  /** Succeeds if the member has no password yet. @throws ApiError invalid_state, rate_limited */
  async function requirePresentPassword(accountId: AccountId, id: string, given: string | undefined): Promise<void> {
    const stored = await db.readOne(passwordOfMember, { id })
    const { hash: expected = null, salt = null, cost = null } = stored ?? {}
    if (expected === null || salt === null || cost === null) return
    const isRight =
      given !== undefined && timingSafeEqual(await keyDerivation.forAccount(accountId, given, salt, cost), expected)
    if (!isRight)
      throw new ApiError(
        'invalid_state',
        'current_password is not your password. If you have forgotten it, ask for a new sign-in link and set a password after you have signed in with it.',
      ).because('present_password_wrong')
  }

  return {
    async list(accountId: AccountId): Promise<Member[]> {
      return (await db.read(membersOfAccount, { accountId })).map(toMember).map(toRecord)
    },
    find: (accountId: AccountId, id: string) => find({ one: db.readOne }, accountId, id),

    invite: (accountId: AccountId, wish: { name: string; email: string }) => {
      const { invitation, expiresAt, shown } = newInvitation()
      const member = { id: ids.batch(), name: wish.name.trim(), email: wish.email.trim().toLowerCase() }
      return db.commit(async (tx) => {
        if ((await tx.one(emailTaken, { email: member.email })) !== undefined)
          throw new ApiError('invalid_state', 'Somebody with this e-mail address is a member already.').because(
            'member_exists',
          )
        await tx.run(insertMember, { ...member, accountId, invitation, expiresAt: expiresAt.atMs, now: clock.now() })
        return { member: toRecord(await find(tx, accountId, member.id)), ...shown, expires_at: isoTime(expiresAt.atMs) }
      })
    },

    newLink: (accountId: AccountId, id: string) => {
      const { invitation, expiresAt, shown } = newInvitation()
      return db.commit(async (tx) => {
        const { id: memberId, isShared } = await find(tx, accountId, id)
        if (isShared === 1)
          throw new ApiError('invalid_state', 'A shared password has no link. Invite each person who uses it.').because(
            'shared_no_link',
          )
        await tx.run(setInvitation, { id: memberId, invitation, expiresAt: expiresAt.atMs })
        return { member: toRecord(await find(tx, accountId, memberId)), ...shown, expires_at: isoTime(expiresAt.atMs) }
      })
    },

    /** The access that ends with the member, and the keys that can be revoked too. */
    async access(accountId: AccountId, id: string): Promise<MemberAccess> {
      const member = await find({ one: db.readOne }, accountId, id)
      const links = await deps.linksCreatedBy(creatorOfMember(member.id))
      const secrets = await deps.crmSecretsOf(creatorOfMember(member.id))
      const keys = await revocableKeys({ all: db.read }, accountId, member.id)
      return {
        sessions: member.sessions,
        has_invitation: member.invitationExpiresAtMs !== null && member.invitationExpiresAtMs > clock.now(),
        links: links.map(({ id: linkId, instanceId, instanceName, permanent, last4, expiresAtMs }) => ({
          ...{ id: linkId, instance_id: instanceId, instance_name: instanceName, permanent: permanent === 1 },
          ...{ url_last4: last4, expires_at: isoTimeOrNull(expiresAtMs) },
        })),
        crm_secrets: secrets.map(({ instanceId, instanceName, last4 }) => ({
          ...{ instance_id: instanceId, instance_name: instanceName, last4 },
        })),
        keys: keys.map(({ key, isOwn }) => ({
          ...{ id: key.id, name: key.name, last4: key.last4, account_name: key.accountName },
          created_by: isOwn ? ('member' as const) : null,
          ...{ created_at: isoTime(key.createdAtMs), last_used_at: isoTimeOrNull(key.lastUsedAtMs) },
        })),
      }
    },

    /** @param wanted ids of the keys to revoke, from the list of `access`; undefined: all that the member created. */
    remove: (accountId: AccountId, id: string, wanted?: readonly string[]) =>
      db.commit(async (tx) => {
        const { id: memberId } = await find(tx, accountId, id)
        const keys = await revocableKeys(tx, accountId, memberId)
        const unknown = wanted?.find((one) => !keys.some(({ key }) => key.id === one))
        if (unknown !== undefined)
          throw new ApiError('not_found', `revoke_keys names ${unknown}, which this member did not create.`).because(
            'chosen_gone',
            { field: 'revoke_keys' },
          )
        const revoked = keys.filter(({ key, isOwn }) => wanted?.includes(key.id) ?? isOwn)
        await accounts.revokeKeys(
          tx,
          revoked.map(({ key }) => key),
        )
        // A removed member may know the shared password.
        const shared = await tx.all(sharedPasswordOf, { accountId })
        for (const one of new Set([memberId, ...shared.map((row) => row.id)])) {
          await accounts.endSessionsOf(tx, { memberId: one })
          await accounts.endAccess(tx, { who: creatorOfMember(one), accountId, endsLinks: true })
          await tx.run(removeMember, { id: one })
        }
      }),

    /**
     * Ends the member's other sessions and an unused sign-in link.
     * @param present the current password. Without it, anybody at an unlocked browser could lock the member out.
     * @throws ApiError invalid_state, rate_limited
     */
    async setPassword({ accountId, member, sessionId }: Caller, password: string, present?: string): Promise<void> {
      if (member === undefined)
        throw new ApiError('invalid_state', 'Only a member who was invited has a password of their own.').because(
          'not_invited',
        )
      if ((await find({ one: db.readOne }, accountId, member.id)).isShared === 1)
        throw new ApiError(
          'invalid_state',
          'You are signed in with a password that several people share. Ask your agency for an invitation of your own.',
        ).because('shared_password')
      if (sessionId === undefined || !(await accounts.isByLink(sessionId)))
        await requirePresentPassword(accountId, member.id, present)
      const salt = random.bytes(16)
      const made = await keyDerivation.forAccount(accountId, password, salt, SCRYPT_COST)
      await db.commit(async (tx) => {
        await tx.run(setPassword, { id: member.id, salt, hash: made, cost: SCRYPT_COST })
        await accounts.endSessionsOf(tx, { memberId: member.id, keepId: sessionId ?? null })
      })
    },

    /** Runs in the commit that deletes the account. */
    async accountDeleted(tx: Tx, accountId: AccountId): Promise<void> {
      await tx.run(membersToRemove, { accountId })
    },
  }
}

const toRecord = (row: MemberRow): Member => ({
  ...{ id: row.id, name: row.name, email: row.isShared === 1 ? null : row.email, shared: row.isShared === 1 },
  status: row.lastSeenAtMs === null && row.isShared === 0 ? 'invited' : 'active',
  has_password: row.hasPassword === 1,
  invitation_expires_at: isoTimeOrNull(row.invitationExpiresAtMs),
  last_seen_at: isoTimeOrNull(row.lastSeenAtMs),
  sessions: row.sessions,
  created_at: isoTime(row.createdAtMs),
})
