import { ApiError } from '../../contract/errors.ts'
import type { BlockedPage, PageRequest } from '../direct.ts'
import { addressOf } from './jid.ts'
import type { OpenLink } from './link.ts'
import { recipientOf } from './recipient.ts'

/**
 * Blocks or unblocks a person. The network knows whom it is about by their hidden id; the library would
 * refuse to block somebody whose number is not known.
 * @throws ApiError not_found where the network has no hidden id for a number.
 */
export async function block({ library, sock }: OpenLink, jid: string, isBlocked: boolean): Promise<void> {
  const { jid: hidden, number } = await recipientOf({ sock }, jid)
  if (addressOf(hidden).kind !== 'hidden') throw nameless()
  const beside = isBlocked && number !== null ? { pn_jid: number } : {}
  await sock.query({
    tag: 'iq',
    attrs: { to: library.S_WHATSAPP_NET, type: 'set', xmlns: 'blocklist' },
    content: [{ tag: 'item', attrs: { jid: hidden, action: isBlocked ? 'block' : 'unblock', ...beside } }],
  })
}

/** Whom the account has blocked, in the order of their names: digits, or a hidden id where no number is known. */
export async function blocked(
  { sock }: OpenLink,
  nameOf: (hiddenId: string) => Promise<string>,
  { limit, after }: PageRequest,
): Promise<BlockedPage> {
  const jids = (await sock.fetchBlocklist()).filter((jid) => jid !== undefined)
  const people = jids.map(async (jid) => {
    const { user, kind } = addressOf(jid)
    return kind === 'hidden' ? nameOf(user) : user
  })
  const left = [...new Set(await Promise.all(people))].toSorted().filter((name) => after === null || name > after)
  return { people: left.slice(0, limit), after: left.length > limit ? (left[limit - 1] ?? null) : null }
}

const nameless = () =>
  new ApiError('not_found', 'This number is not on WhatsApp, so it cannot be blocked or unblocked. Check the number.')
