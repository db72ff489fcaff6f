import { hash } from 'node:crypto'
import { accountFrozen } from '../../contract/account-refusals.ts'
import type { Branding } from '../../contract/brand.ts'
import { ApiError } from '../../contract/errors.ts'
import type { InstanceRecord, QrView } from '../../contract/instance.ts'
import { LIMITS } from '../../contract/limits.ts'
import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import type { Notice } from '../../contract/notice.ts'
import { TRAITS } from '../../contract/engine-traits.ts'
import type { Creator } from '../../kernel/access.ts'
import { dueIn } from '../../kernel/due.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { Idempotency } from '../../kernel/idempotency.ts'
import type { AccountId, Ids, InstanceId, Random } from '../../kernel/ids.ts'
import { keyedRequest } from '../../kernel/keyed-request.ts'
import type { Ledger } from '../../kernel/ledger.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import type { Seal } from '../../kernel/seal.ts'
import { Secret } from '../../kernel/secret.ts'
import type { InstanceSubject } from '../handler.ts'
import type { Instances } from '../instances/index.ts'
import type { AccessLink, LinkState } from './contract.ts'
import {
  countUse,
  insertLink,
  insertUse,
  instancesOfCreator,
  linkByHash,
  linkById,
  linksCreatedBy,
  linksPage,
  openLinks,
  pruneUses,
  revokeCreatedBy,
  revokeLink,
  revokeOfInstance,
  spendLinks,
  usesOf,
  type FoundLink,
  type LinkRow,
} from './store.ts'

export interface LinksDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now' | 'movedMs'>
  readonly ids: Pick<Ids, 'batch'>
  readonly random: Pick<Random, 'bytes'>
  readonly seal: Seal
  readonly idempotency: Idempotency
  readonly ledger: Pick<Ledger, 'inCommit'>
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
  readonly instances: Pick<Instances, 'get' | 'qr' | 'passkeyLinks' | 'subscribe'>
  readonly isSuspended: (accountId: AccountId) => boolean
  /** The account, or its agency, owes money. */
  readonly isFrozen: (accountId: AccountId) => Promise<boolean>
  readonly brandOf: (accountId: AccountId) => Promise<Branding & { readonly name: string }>
  /** Base URL of links, without a trailing slash, and from where they can be opened. */
  readonly address: () => { readonly url: string; readonly reachable: 'everywhere' | 'network' | 'computer' }
}

interface CreateCall {
  readonly createdBy: Creator | null
  readonly instance: InstanceSubject
  readonly wish: { readonly permanent?: boolean; readonly expires_in?: number }
  readonly rawBody: unknown
  readonly idempotencyKey: string | null
}

interface CreatedLink {
  readonly id: string
  readonly url: string
  readonly permanent: boolean
  readonly expires_at: string | null
  readonly created_at: string
  readonly reachable: 'everywhere' | 'network' | 'computer'
}

/** What the public page of an open link shows. */
export interface LinkView {
  readonly brand: Branding & { readonly name: string }
  readonly instance: Pick<
    InstanceRecord,
    | 'id'
    | 'name'
    | 'status'
    | 'phone_number'
    | 'engine'
    | 'onboarding_url'
    | 'last_connected_at'
    | 'last_disconnect_reason'
  >
  readonly permanent: boolean
  /** null: the instance is connected on its own page. */
  readonly qr: QrView | null
  /** Requesting a pairing code notifies the phone, which a frozen account may not do. */
  readonly canRequestCode: boolean
  /** The number was paired, and the link has ended. */
  readonly isDone: boolean
}

/** The visitor of a link. */
export interface Visitor {
  readonly address: string | null
  readonly browser: string | null
}

export interface LinkPage {
  /** undefined for every invalid link, without a reason. */
  open(token: string): Promise<{ readonly instanceId: InstanceId; readonly accountId: AccountId } | undefined>
  noteVisit(token: string, visitor: Visitor): Promise<void>
  /** @param seen the page was open before: it may still show the success after the link ended. */
  view(token: string, seen?: boolean): Promise<LinkView | undefined>
  /** A new code, or a pairing code for a phone. @throws ApiError */
  refresh(token: string): Promise<void>
  pairingCode(token: string, phone: string): Promise<void>
  /** URL of the page that confirms a passkey. @throws ApiError */
  passkey(token: string): Promise<string>
}

export type Links = ReturnType<typeof createLinks>

const TOKEN_BYTES = 32
const TOKEN = /^[A-Za-z0-9_-]{43}$/
const USES_KEPT = 50
const OPERATION = 'POST access-links'
const hashOf = (token: string): Buffer => hash('sha256', token, 'buffer')
const sealName = (accountId: string, key: string) => `access link:${accountId}:${key}`

/** Links with which a person without an account here connects one instance. Only the hash of a token is stored. */
export function createLinks(deps: LinksDeps) {
  const { db, clock, ids, random, seal, idempotency, instances } = deps

  instances.subscribe(async (tx, { kind, id: instanceId }) => {
    // A person with a link of the old account must not connect or disconnect the new account's number.
    if (kind === 'deleted' || kind === 'transferred') await tx.run(revokeOfInstance, { instanceId, now: clock.now() })
  })
  // A reconnect is not a pairing.
  deps.ledger.inCommit({
    phase: 'record',
    on: ['instance.connected'],
    run: async (tx, { instanceId, data }) => {
      if (data.reconnected) return
      const now = clock.now()
      for (const { seq } of await tx.all(spendLinks, { instanceId, now }))
        await recordUse(tx, seq, 'paired', { address: null, browser: null }, now)
    },
  })

  async function recordUse(tx: Tx, linkSeq: number, kind: 'opened' | 'paired', visitor: Visitor, now: number) {
    await tx.run(insertUse, { seq: await tx.next('access_link_uses'), linkSeq, now, kind, ...visitor })
    await tx.run(pruneUses, { linkSeq, kept: USES_KEPT })
  }

  const stateOf = (link: LinkRow, accountId: AccountId): LinkState => {
    if (link.revokedAtMs !== null) return 'revoked'
    if (link.spentAtMs !== null) return 'used'
    if (link.expiresAtMs !== null && link.expiresAtMs <= clock.now()) return 'expired'
    return deps.isSuspended(accountId) ? 'suspended' : 'open'
  }

  /** Does the same work for every token, valid or not: one hash and one read. */
  async function find(token: string): Promise<FoundLink | undefined> {
    const found = await db.readOne(linkByHash, { hash: hashOf(token.slice(0, 100)) })
    return TOKEN.test(token) ? found : undefined
  }

  async function findOpen(token: string): Promise<FoundLink | undefined> {
    const link = await find(token)
    if (link?.deletedAtMs !== null || link.accountStatus !== 'active') return undefined
    return stateOf(link, link.accountId) === 'open' ? link : undefined
  }

  async function requireOpen(token: string): Promise<FoundLink> {
    const link = await findOpen(token)
    if (link === undefined) throw new ApiError('not_found', 'This link has ended. Ask for another one.')
    return link
  }

  /** A link that was just used, by the pairing on the open page. */
  async function findSeen(token: string): Promise<FoundLink | undefined> {
    const link = await find(token)
    const isGone = link?.deletedAtMs !== null || link.accountStatus !== 'active'
    return isGone || stateOf(link, link.accountId) !== 'used' ? undefined : link
  }

  const page: LinkPage = {
    open: findOpen,
    async noteVisit(token, visitor) {
      const link = await findOpen(token)
      if (link === undefined) return
      await db.commit(async (tx) => {
        const now = clock.now()
        await tx.run(countUse, { seq: link.seq, now })
        await recordUse(tx, link.seq, 'opened', visitor, now)
      })
    },
    async view(token, seen = false) {
      const open = await findOpen(token)
      const link = open ?? (seen ? await findSeen(token) : undefined)
      if (link === undefined) return undefined
      const brand = await deps.brandOf(link.accountId)
      const instance = await instances.get(link.instanceId)
      const hasCodes = TRAITS[instance.engine].isLinkedPhone && open !== undefined
      const qr = hasCodes ? await instances.qr.read(link.instanceId, undefined) : null
      const canRequestCode = !hasCodes || !(await deps.isFrozen(link.accountId))
      return { brand, instance, permanent: link.permanent === 1, qr, canRequestCode, isDone: open === undefined }
    },
    async refresh(token) {
      await instances.qr.refresh((await requireOpen(token)).instanceId)
    },
    async pairingCode(token, phone) {
      const { instanceId, accountId } = await requireOpen(token)
      if (await deps.isFrozen(accountId))
        throw accountFrozen('no pairing code was requested', 'The QR code still connects the number.')
      await instances.qr.read(instanceId, phone)
    },
    async passkey(token) {
      const { instanceId, createdBy } = await requireOpen(token)
      return (await instances.passkeyLinks.create(instanceId, createdBy)).url
    },
  }

  return {
    page,

    async create({ createdBy, instance, wish, rawBody, idempotencyKey: key }: CreateCall) {
      const { id: instanceId, accountId } = instance
      const { permanent = false, expires_in: seconds } = wish
      if (permanent && seconds !== undefined)
        throw new ApiError('validation_error', 'expires_in must be absent for a permanent link.')
      const request = { operation: OPERATION, scopeId: accountId, aboutId: instanceId, key, rawBody }
      const keyed = keyedRequest({ db, idempotency }, request)
      const earlier = await keyed.earlier()
      if (earlier !== undefined) return replay(earlier, accountId, key)
      const token = new Secret(random.bytes(TOKEN_BYTES).toString('base64url'))
      const expiresAt = permanent ? null : dueIn(clock, (seconds ?? LIMITS.linkSecondsDefault) * 1_000)
      const { url, reachable } = deps.address()
      const link: CreatedLink = {
        ...{ id: ids.batch(), url: `${url}/link/${token.open()}`, permanent },
        ...{ expires_at: isoTimeOrNull(expiresAt?.atMs ?? null), created_at: isoTime(clock.now()), reachable },
      }
      // Before the commit: if the keychain is locked, this fails and leaves nothing behind.
      const copy = key === null ? null : seal.seal(new Secret(JSON.stringify(link)), sealName(accountId, key))
      return db.commit(async (tx) => {
        const first = await keyed.claim(tx, link.id)
        if (first !== undefined) return replay(first, accountId, key)
        const now = clock.now()
        const open = await tx.one(openLinks, { instanceId, now })
        if ((open?.count ?? 0) >= LIMITS.linksPerInstance)
          throw new ApiError(
            'invalid_state',
            `This instance already has ${LIMITS.linksPerInstance} open links. Revoke some of them first.`,
          ).because('links_full', { n: LIMITS.linksPerInstance })
        const row = {
          id: link.id,
          hash: hashOf(token.open()),
          instanceId,
          last4: token.last4,
          expiresAt: expiresAt?.atMs ?? null,
          createdBy,
          now,
        }
        await tx.run(insertLink, { ...row, seq: await tx.next('access_links'), permanent: permanent ? 1 : 0 })
        if (copy !== null) await keyed.settle(tx, link.id, copy)
        return { link, isReplayed: false }
      })
    },

    async list(instance: InstanceSubject, before: number, rows: number): Promise<(AccessLink & { seq: number })[]> {
      const found = await db.read(linksPage, { instanceId: instance.id, before, rows })
      return found.map((link) => ({ ...toRecord(link, stateOf(link, instance.accountId)), seq: link.seq }))
    },

    /** Instances for which the creator ever made a link. */
    instancesOf: async (tx: Pick<Tx, 'all'>, creator: Creator): Promise<InstanceId[]> =>
      (await tx.all(instancesOfCreator, { creator })).map(({ instanceId }) => instanceId),

    createdBy: (creator: Creator) => db.read(linksCreatedBy, { creator, now: clock.now() }),

    /** Runs in the commit that ends the creator's access. */
    async revokeCreatedBy(tx: Tx, accountId: AccountId, creator: Creator): Promise<void> {
      const revoked = await tx.all(revokeCreatedBy, { creator, now: clock.now() })
      tx.afterCommit(() =>
        revoked.forEach(({ instanceId }) =>
          deps.live.publish(accountId, { topic: 'access-links', instance_id: instanceId }),
        ),
      )
    },

    async revoke({ id: instanceId }: Pick<InstanceSubject, 'id'>, id: string): Promise<void> {
      const changed = await db.commit((tx) => tx.run(revokeLink, { id, instanceId, now: clock.now() }))
      if (changed === 0) throw noSuchLink()
    },

    async uses({ id: instanceId }: Pick<InstanceSubject, 'id'>, id: string) {
      const link = await db.readOne(linkById, { id, instanceId })
      if (link === undefined) throw noSuchLink()
      return db.read(usesOf, { linkSeq: link.seq, rows: USES_KEPT })
    },

    /** @throws ApiError not_found */
    async requireLink(instanceId: string, id: string): Promise<void> {
      if ((await db.readOne(linkById, { id: id.toLowerCase(), instanceId: instanceId.toLowerCase() })) === undefined)
        throw noSuchLink()
    },
  }

  /** The response to the first request with this key; this room wrote it. */
  function replay(answer: Buffer, accountId: string, key: string | null) {
    const link = JSON.parse(seal.open(answer, sealName(accountId, key ?? '')).open()) as CreatedLink
    return { link, isReplayed: true }
  }
}

const toRecord = (link: LinkRow, state: LinkState): AccessLink => ({
  ...{ id: link.id, url_last4: link.last4, permanent: link.permanent === 1, state, uses: link.uses },
  expires_at: isoTimeOrNull(link.expiresAtMs),
  created_at: isoTime(link.createdAtMs),
  last_used_at: isoTimeOrNull(link.lastUsedAtMs),
})

const noSuchLink = () => new ApiError('not_found', 'This instance has no access link with this id.')
