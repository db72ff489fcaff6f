import type { OpenLink } from './link.ts'
import { addressOf, hiddenJid, numberJid } from './jid.ts'

/** Address of a message, and what its stanza says beside it. */
interface Recipient {
  readonly jid: string
  readonly attributes: Readonly<Record<string, string>>
}

/**
 * WhatsApp's own client addresses people by hidden id and names the number beside it. The library would send to whatever
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
    return hidden === null ? { jid, attributes: {} } : toHidden(addressOf(hidden).user, user)
  }
  if (kind !== 'hidden') return { jid, attributes: {} }
  const number = await lidMapping.getPNForLID(jid)
  return number === null ? { jid, attributes: {} } : toHidden(user, addressOf(number).user)
}

const toHidden = (hiddenId: string, number: string): Recipient => ({
  jid: hiddenJid(hiddenId),
  attributes: { peer_recipient_pn: numberJid(number) },
})
