import type { AuthenticationCreds, proto } from 'baileys'
import { addressOf, isChannelJid } from './jid.ts'
import type { PersonName } from './people.ts'

/** Who said something where, as the network names them. */
export interface Sender {
  readonly engineMessageId: string
  readonly isFromMe: boolean
  /** The other side of a conversation of two; null in a group. */
  readonly chat: PersonName | null
  /** Address of the group or channel; null in a conversation of two. */
  readonly group: string | null
  /** The author in a group. A channel names nobody. */
  readonly participant: PersonName | null
  readonly atMs: number
  readonly pushName: string | null
}

type Attributes = Readonly<Record<string, string | undefined>>
type Me = AuthenticationCreds['me']

/** @returns undefined for status posts, which are no conversation. */
export function senderOfStanza(stanza: Attributes, me: Me): Sender | undefined {
  const { id, from = '', participant = '', recipient, t, notify } = stanza
  if (id === undefined) return undefined
  const place = placeOf(from)
  if (place === undefined) return undefined
  const common = { engineMessageId: id, atMs: Number(t) * 1_000, pushName: notify ?? null }
  if (place === 'channel') return { ...common, isFromMe: false, chat: null, group: from, participant: null }
  if (place === 'group') {
    const named = namedBy(participant, stanza['participant_pn'], stanza['participant_lid'])
    return { ...common, isFromMe: isMe(participant, me), chat: null, group: from, participant: named }
  }
  if (place === 'list') {
    // Who has us on a broadcast list writes to us alone, and the answer goes to them. Whom our own phone has on its
    // lists is not in the stanza.
    if (isMe(participant, me)) return undefined
    const named = namedBy(participant, stanza['participant_pn'], stanza['participant_lid'])
    return { ...common, isFromMe: false, chat: named, group: null, participant: null }
  }
  const isFromMe = isMe(from, me)
  const chat = isFromMe
    ? namedBy(recipient ?? from, stanza['recipient_pn'], stanza['recipient_lid'], stanza['peer_recipient_pn'])
    : namedBy(from, stanza['sender_pn'], stanza['sender_lid'])
  if (isFromMe && recipient !== undefined && placeOf(recipient) !== 'person') return undefined
  return { ...common, isFromMe, chat, group: null, participant: null }
}

/** The same of a message that the phone has sent again as a whole. */
export function senderOfMessage(message: proto.IWebMessageInfo, me: Me): Sender | undefined {
  const { remoteJid, id, fromMe, participant } = message.key ?? {}
  if (!remoteJid || !id) return undefined
  const own = me?.id ?? ''
  const t = String(message.messageTimestamp ?? 0)
  const where =
    placeOf(remoteJid) !== 'person'
      ? { from: remoteJid, participant: fromMe ? own : (participant ?? undefined) }
      : fromMe
        ? { from: own, recipient: remoteJid }
        : { from: remoteJid }
  return senderOfStanza({ ...where, id, t, notify: message.pushName ?? undefined }, me)
}

const placeOf = (jid: string): 'group' | 'channel' | 'list' | 'person' | undefined => {
  const { kind, user } = addressOf(jid)
  if (kind === 'group') return 'group'
  if (isChannelJid(jid)) return 'channel'
  if (jid.endsWith('@broadcast') && user !== 'status') return 'list'
  return kind === 'other' ? undefined : 'person'
}

function namedBy(...jids: readonly (string | undefined)[]): PersonName {
  const addresses = jids.flatMap((jid) => (jid === undefined ? [] : addressOf(jid)))
  const userOf = (kind: string) => addresses.find((address) => address.kind === kind)?.user ?? null
  return { number: userOf('number'), hiddenId: userOf('hidden') }
}

function isMe(jid: string, me: Me): boolean {
  const { user } = addressOf(jid)
  return user !== '' && (user === addressOf(me?.id ?? '').user || user === addressOf(me?.lid ?? '').user)
}
