import { ApiError } from '../../../contract/errors.ts'
import { LIMITS } from '../../../contract/limits.ts'
import type { Network } from '../../../contract/shapes.ts'
import type { Db, Tx } from '../../../kernel/db.ts'
import { parseForeignJson } from '../../../kernel/foreign-json.ts'
import type { CrmProblemCode } from '../../../contract/crm.ts'
import type { CrmDeps } from '../deps.ts'
import type { Inbox } from '../inbox.ts'
import type { CrmLink, Links } from '../links.ts'
import { contactByExternal } from '../outbox-store.ts'
import type { OptOutSync } from '../opt-out-sync.ts'
import { queueOfLocation } from './connect.ts'
import { removeSession, removeSessionsOfCompany } from './session-store.ts'
import { isSigned, readPublicKey } from './signature.ts'
import type { Sides } from './sides.ts'

interface CallbacksDeps extends Pick<CrmDeps, 'contacts'> {
  readonly db: Db
  readonly links: Links
  readonly inbox: Inbox
  readonly optOutSync: OptOutSync
  readonly sides: Sides
  readonly suspend: (tx: Tx, queue: string, why: { code: CrmProblemCode; message: string }) => Promise<void>
  readonly resume: (tx: Tx, queue: string) => Promise<void>
}

type Json = Readonly<Record<string, unknown>>

const UNINSTALLED =
  'The app was uninstalled in GoHighLevel. To go on, connect again; what happens until then is delivered afterwards.'

/** Requests from GoHighLevel: verified over the raw bytes, and stored before they are answered. */
export function createCallbacks({ db, contacts, links, inbox, optOutSync, sides, suspend, resume }: CallbacksDeps) {
  /** @returns whether the real GoHighLevel or the simulator signed it. @throws ApiError unauthorized */
  async function verify(signature: string | undefined, body: Buffer): Promise<Network> {
    if (signature === undefined || signature === '') throw unproved('The header x-ghl-signature is missing.')
    for (const { side, publicKey } of sides.all) {
      const text = await publicKey()
      const key = text === null ? undefined : readPublicKey(text)
      if (key !== undefined && isSigned(key, signature, body)) return side
    }
    throw unproved('x-ghl-signature does not match the body.')
  }

  const linksOf = async (tx: Tx, locationId: string, side: Network): Promise<CrmLink[]> =>
    (await links.ofQueue(queueOfLocation(locationId), tx)).filter((link) => link.side === side)

  /** If a location has several numbers: the one that last exchanged messages with the contact, otherwise the first. */
  async function choose(tx: Tx, found: readonly CrmLink[], phone: string): Promise<CrmLink | undefined> {
    const [first] = found
    if (first === undefined || found.length === 1 || phone === '') return first
    let best = { link: first, atMs: -1 }
    for (const link of found) {
      const last = await contacts.lastContact(tx, link.accountId, [link.instanceId], [phone])
      const { lastInAtMs = null, lastOutAtMs = null } = last.get(phone) ?? {}
      const atMs = Math.max(lastInAtMs ?? -1, lastOutAtMs ?? -1)
      if (atMs > best.atMs) best = { link, atMs }
    }
    return best.link
  }

  return {
    /**
     * A CRM user wrote a message. A repeated request changes nothing. @throws ApiError unauthorized,
     * validation_error, not_found
     */
    async outbound(signature: string | undefined, body: Buffer): Promise<void> {
      const side = await verify(signature, body)
      const given = parse(body)
      const [locationId, externalId] = [textOf(given, 'locationId'), textOf(given, 'messageId')]
      if (locationId === '' || externalId === '' || externalId.length > ID_LENGTH)
        throw new ApiError('validation_error', 'locationId and messageId are needed.')
      if (given['type'] === 'Email')
        throw new ApiError('validation_error', 'This provider sends SMS only. Set its type to SMS in your app.')
      const phone = digitsOf(given['phone'])
      const attachments = listOf(given['attachments'])
      const written = {
        text: textOf(given, 'message'),
        attachments: attachments.map((url) => ({ url, mediaType: null, filename: null })),
      }
      await db.commit(async (tx) => {
        const link = await choose(tx, await linksOf(tx, locationId, side), phone)
        if (link === undefined) throw new ApiError('not_found', 'No number is connected with this location.')
        await inbox.take(tx, { link, scope: queueOfLocation(locationId), externalId, phone, written })
      })
    },

    /** An event of the app or a contact. Unknown events are accepted and ignored. @throws ApiError unauthorized */
    async app(signature: string | undefined, body: Buffer): Promise<void> {
      const side = await verify(signature, body)
      const given = parse(body)
      const [locationId, companyId] = [textOf(given, 'locationId'), textOf(given, 'companyId')]
      // A repeated old event must not undo later changes.
      const atMs = Date.parse(textOf(given, 'timestamp') || textOf(given, 'dateUpdated'))
      await db.commit(async (tx) => {
        switch (given['type']) {
          case 'UNINSTALL':
            return uninstall(tx, { side, locationId, companyId, atMs })
          case 'INSTALL':
            return install(tx, { side, locationId, companyId })
          case 'ContactDndUpdate':
            return dnd(tx, side, locationId, given, atMs)
        }
      })
    },
  }

  interface Where {
    readonly side: Network
    readonly locationId: string
    readonly companyId: string
  }

  /** Connections of a location, or of all locations of a company. */
  async function affected(tx: Tx, { side, locationId, companyId }: Where): Promise<CrmLink[]> {
    if (locationId !== '') return linksOf(tx, locationId, side)
    return companyId === '' ? [] : (await links.ofCompany(companyId, tx)).filter((link) => link.side === side)
  }

  async function uninstall(tx: Tx, where: Where & { readonly atMs: number }): Promise<void> {
    const { locationId, companyId, atMs } = where
    const found = (await affected(tx, where)).filter(
      ({ mode, connectedAtMs }) => mode === 'oauth' && !(atMs < connectedAtMs),
    )
    if (found.length === 0) return
    if (locationId === '') await tx.run(removeSessionsOfCompany, { companyId })
    for (const queue of new Set(found.map((link) => link.queue))) {
      await tx.run(removeSession, { resourceId: queue.slice(queueOfLocation('').length) })
      await suspend(tx, queue, { code: 'uninstalled', message: UNINSTALLED })
    }
  }

  /** The agency installed the app again: its token provides tokens for the locations that wait for one. */
  async function install(tx: Tx, where: Where): Promise<void> {
    const found = (await affected(tx, where)).filter(({ mode, state }) => mode === 'oauth' && state !== 'connected')
    for (const queue of new Set(found.map((link) => link.queue))) await resume(tx, queue)
  }

  async function dnd(tx: Tx, side: Network, locationId: string, given: Json, atMs: number): Promise<void> {
    const found = (await linksOf(tx, locationId, side)).filter(({ sync }) => sync.dnd)
    const [link] = found
    if (link === undefined) return
    const known = await tx.one(contactByExternal, { queue: link.queue, contactId: textOf(given, 'id') })
    const phone = known?.chat ?? known?.number ?? digitsOf(given['phone'])
    if (phone !== '') await optOutSync.fromCrm(tx, link, phone, isDnd(given), Number.isNaN(atMs) ? null : atMs)
  }
}

export type Callbacks = ReturnType<typeof createCallbacks>

const ID_LENGTH = 100

function parse(body: Buffer): Json {
  try {
    const given: unknown = parseForeignJson(body)
    if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given as Json
  } catch {
    // Answered below, like any other body that is not an object.
  }
  throw new ApiError('invalid_json', `The body must be a JSON object of at most ${LIMITS.bodyValues} values.`)
}

function textOf(given: Json, name: string): string {
  const value = given[name]
  return typeof value === 'string' ? value : ''
}

const listOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []

/** Digits with country code; empty for anything that is not a number. */
function digitsOf(value: unknown): string {
  const digits = typeof value === 'string' ? value.replaceAll(/\D/g, '') : ''
  return digits.length >= 7 && digits.length <= 15 ? digits : ''
}

/**
 * Whether it applies to all channels, or to the channel of these messages. Off if the field is missing (their
 * documentation).
 */
function isDnd(given: Json): boolean {
  if (given['dnd'] === true) return true
  const settings = given['dndSettings'] as { readonly SMS?: { readonly status?: unknown } } | undefined
  return settings?.SMS?.status === 'active' || settings?.SMS?.status === 'permanent'
}

const unproved = (message: string) => new ApiError('unauthorized', message, { 'www-authenticate': 'Signature' })
