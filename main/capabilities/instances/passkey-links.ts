import { createHash } from 'node:crypto'
import { ApiError } from '../../contract/errors.ts'
import type { PasskeyCredential, QrView } from '../../contract/instance.ts'
import { isoTime } from '../../contract/request.ts'
import type { Creator } from '../../kernel/access.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId, InstanceId, Random } from '../../kernel/ids.ts'
import { getInstance } from './find.ts'
import type { Passkey } from './passkey.ts'
import type { Qr } from './qr.ts'

interface Deps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now' | 'mono'>
  readonly random: Pick<Random, 'bytes'>
  readonly passkey: Passkey
  readonly qr: Qr
  readonly baseUrl: () => string
  /** Links of the account open again once it is active. */
  readonly isSuspended: (accountId: AccountId) => boolean
}

/** The page behind a link, for the owner of the account. It needs no key and shows neither number nor name. */
export interface PasskeyPage {
  /** The URL of the page. */
  address(token: string): string
  /** `linked`: the account is linked. @throws ApiError not_found if the confirmation has ended otherwise. */
  view(token: string): Promise<QrView | 'linked'>
  respond(token: string, answer: { attempt: number; credential: PasskeyCredential }): Promise<void>
  confirm(token: string, answer: { attempt: number; match: boolean }): Promise<void>
}

export interface PasskeyLinks {
  /** @throws ApiError invalid_state */
  create(id: InstanceId, createdBy: Creator | null): Promise<{ url: string; expires_at: string }>
  readonly page: PasskeyPage
  /** Links that a key created stop opening, or all of the account that a person worked in. */
  endOf(lost: { readonly accountId: AccountId; readonly who: Creator }): void
  endOfInstance(id: InstanceId): void
}

interface Entry {
  readonly id: InstanceId
  readonly accountId: AccountId
  readonly createdBy: Creator | null
  /** The attempt that the link is for. Each start of pairing increases it, and a connection resets it. */
  readonly attempts: number
  readonly endsMono: number
}

const TOKEN_BYTES = 32
const LINK_MS = 15 * 60_000

/** Kept in memory: a restart ends the confirmation, and its link with it. */
export function createPasskeyLinks({ db, clock, random, passkey, qr, baseUrl, isSuspended }: Deps): PasskeyLinks {
  const entries = new Map<string, Entry>()

  async function find(token: string): Promise<{ id: InstanceId; isLinked: boolean }> {
    const entry = entries.get(digestOf(token))
    if (!entry || clock.mono() >= entry.endsMono || isSuspended(entry.accountId)) throw gone()
    const { status, attempts } = await getInstance(db, entry.id)
    const isSame = attempts === entry.attempts
    if (status === 'passkey_required' && isSame) return { id: entry.id, isLinked: false }
    if (status === 'connected' || (status === 'connecting' && isSame)) return { id: entry.id, isLinked: true }
    entries.delete(digestOf(token))
    throw gone()
  }

  async function findOpen(token: string): Promise<InstanceId> {
    const { id, isLinked } = await find(token)
    if (isLinked) throw notAsked()
    return id
  }

  const address = (token: string) => `${baseUrl()}/passkey/${token}`

  return {
    async create(id, createdBy) {
      const { accountId, status, attempts } = await getInstance(db, id)
      if (status !== 'passkey_required') throw notAsked()
      // One link for each confirmation: an earlier one may have been sent to the wrong person.
      for (const [digest, entry] of entries)
        if (entry.id === id || clock.mono() >= entry.endsMono) entries.delete(digest)
      const token = random.bytes(TOKEN_BYTES).toString('base64url')
      entries.set(digestOf(token), { id, accountId, createdBy, attempts, endsMono: clock.mono() + LINK_MS })
      return { url: address(token), expires_at: isoTime(clock.now() + LINK_MS) }
    },
    endOf({ accountId, who }) {
      const hasEnded = (entry: Entry) =>
        who.startsWith('key:') && entry.createdBy !== null ? entry.createdBy === who : entry.accountId === accountId
      for (const [digest, entry] of entries) if (hasEnded(entry)) entries.delete(digest)
    },
    endOfInstance(id) {
      for (const [digest, entry] of entries) if (entry.id === id) entries.delete(digest)
    },
    page: {
      address,
      async view(token) {
        const { id, isLinked } = await find(token)
        return isLinked ? 'linked' : qr.read(id, undefined)
      },
      async respond(token, answer) {
        await passkey.respond(await findOpen(token), answer)
      },
      async confirm(token, answer) {
        await passkey.confirm(await findOpen(token), answer)
      },
    },
  }
}

/** Only hashes are kept, so that a memory dump contains no working links. */
const digestOf = (token: string) => createHash('sha256').update(token).digest('hex')

const gone = () => new ApiError('not_found', 'This link has ended. Ask for another one.')

const notAsked = () =>
  new ApiError(
    'invalid_state',
    'No passkey is requested now (passkey_not_asked). GET …/qr shows the current step.',
  ).because('passkey_ended')
