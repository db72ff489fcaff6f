import type { AuthenticationCreds, proto } from 'baileys'
import type { EngineInstance, Quoted } from '../engine.ts'
import { addressOf, hiddenJid, isGroupJid, numberJid } from './jid.ts'
import type { OpenLink } from './link.ts'
import type { People } from './people.ts'
import { usesHiddenIds, getGroup, participantOf } from './group-metadata.ts'

/**
 * How a phone finds what a message answers. It shows its own copy of that, which it knows by id and author; the words
 * beside them are for a device that has none. The library would want the whole original, which is not kept.
 * @param jid the conversation.
 */
export async function contextOf(
  open: OpenLink,
  people: Pick<People, 'addressOf'>,
  instance: EngineInstance,
  jid: string,
  quoted: Quoted,
): Promise<proto.IContextInfo> {
  const participant = await authorOf(open, people, instance, jid, quoted)
  return { stanzaId: quoted.engineMessageId, participant, quotedMessage: contentOf(quoted) }
}

/** The author, in the address form of the conversation: under the other form the message is not found. */
async function authorOf(
  open: OpenLink,
  people: Pick<People, 'addressOf'>,
  instance: EngineInstance,
  jid: string,
  { isOwn, participant: name }: Quoted,
): Promise<string> {
  const isGroup = isGroupJid(jid)
  const isHidden = isGroup ? usesHiddenIds(open, await getGroup(open, jid)) : addressOf(jid).kind === 'hidden'
  if (isOwn) return ownJid(open.session.creds.me, isHidden)
  if (!isGroup || name === null) return jid
  const speaker = await participantOf(open, people, instance, { groupId: jid, name })
  // Gone, and nobody answers to the name any more: what they said still bears it.
  return speaker ?? (isHidden ? hiddenJid : numberJid)(name)
}

function ownJid(me: AuthenticationCreds['me'], isHidden: boolean): string {
  if (isHidden && me?.lid) return hiddenJid(addressOf(me.lid).user)
  return numberJid(addressOf(me?.id ?? '').user)
}

/** As much of it as makes its kind known. */
function contentOf({ type, text }: Quoted): proto.IMessage {
  switch (type) {
    case 'image':
      return { imageMessage: { caption: text } }
    case 'video':
      return { videoMessage: { caption: text } }
    case 'audio':
      return { audioMessage: {} }
    case 'document':
      return { documentMessage: { caption: text } }
    case 'sticker':
      return { stickerMessage: {} }
    case 'location':
      return { locationMessage: { name: text } }
    case 'contact':
      return { contactMessage: { displayName: text } }
    case 'poll':
      return { pollCreationMessage: { name: text } }
    default:
      return { conversation: text }
  }
}
