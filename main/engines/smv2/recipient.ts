import type { OpenLink } from './link.ts'
import { addressOf, hiddenJid, numberJid } from './jid.ts'

/** Somebody as WhatsApp's own client names them. */
interface Recipient {
  readonly jid: string
  /** Address of the number that goes beside a hidden id; null: there is none, or it is not known. */
  readonly number: string | null
}

/**
 * WhatsApp's own client addresses people by hidden id and names the number beside it. The library would use whatever
 * address it is given. Asks the network once for a hidden id that is not known.
 * @returns the number itself where the network has no hidden id for it; groups and lists as they are.
 */
export async function recipientOf(
  { sock }: { readonly sock: Pick<OpenLink['sock'], 'signalRepository'> },
  jid: string,
): Promise<Recipient> {
  const { user, kind } = addressOf(jid)
  const { lidMapping } = sock.signalRepository
  if (kind === 'number') {
    const hidden = await lidMapping.getLIDForPN(jid)
    return hidden === null ? { jid, number: null } : toHidden(addressOf(hidden).user, user)
  }
  if (kind !== 'hidden') return { jid, number: null }
  const number = await lidMapping.getPNForLID(jid)
  return number === null ? { jid, number: null } : toHidden(user, addressOf(number).user)
}

const toHidden = (hiddenId: string, number: string): Recipient => ({
  jid: hiddenJid(hiddenId),
  number: numberJid(number),
})
