import { deflateSync } from 'node:zlib'
import { proto } from 'baileys'
import { saltForHistory } from './contact-salt.ts'
import type { Cdn } from './media.ts'
import type { PhoneInside } from './people.ts'
import type { Known } from './speech.ts'
import { lidJid, numberJid, seconds } from './stanza.ts'

type Asked = proto.Message.PeerDataOperationRequestMessage.IHistorySyncOnDemandRequest

// The same list exists twice: for announcements, and for the history itself.
const { HistorySyncType: Announced } = proto.Message
const { HistorySyncType: Kind } = proto.HistorySync
const { COMPLETE_AND_NO_MORE_MESSAGE_REMAIN_ON_PRIMARY: ALL, COMPLETE_BUT_MORE_MESSAGES_REMAIN_ON_PRIMARY: MORE } =
  proto.Conversation.EndOfHistoryTransferType
/** How many messages of each chat the first history contains. Earlier ones must be requested. */
const LATEST = 5
/** A long history is split into several files. */
const CHUNK = 10

/** The first history that a client gets: the chats of the phone, and the names of people. */
export function welcomeHistory(phone: PhoneInside, find: (number: string) => PhoneInside): proto.IMessage {
  const people = [...phone.writers].map(find)
  const history = {
    syncType: Kind.INITIAL_BOOTSTRAP,
    conversations: people.map(({ number, habits }) => ({
      id: numberJid(number),
      displayName: habits.name,
      ephemeralExpiration: phone.timerOf(number),
      ephemeralSettingTimestamp: phone.timerOf(number) === 0 ? null : seconds(),
      messages: [...phone.known.values()]
        .filter(isIn(numberJid(number)))
        .slice(-LATEST)
        .map(asHistory),
    })),
    pushnames: people.map(({ number, habits }) => ({ id: numberJid(number), pushname: habits.name })),
    phoneNumberToLidMappings: people.map(({ number, lid }) => ({ pnJid: numberJid(number), lidJid: lidJid(lid) })),
  }
  return notice({
    syncType: Announced.INITIAL_BOOTSTRAP,
    chunkOrder: 1,
    progress: 100,
    initialHistBootstrapInlinePayload: packed(history, phone.appState.salt),
  })
}

/**
 * The messages of a chat before the oldest one that a client has, newest first.
 * @param requestId the id of the message that requested them.
 */
export function earlierHistory(phone: PhoneInside, asked: Asked, requestId: string, cdn: Cdn): proto.IMessage[] {
  const id = asked.chatJid ?? ''
  const inChat = [...phone.known.values()].filter(isIn(id))
  const end = inChat.findIndex(({ key }) => key.id === asked.oldestMsgId)
  const earlier = inChat.slice(0, Math.max(end, 0)).toReversed()
  const wanted = earlier.slice(0, asked.onDemandMsgCount ?? 0)
  const endOfHistoryTransferType = earlier.length > wanted.length ? MORE : ALL
  const chunks = Array.from({ length: Math.max(Math.ceil(wanted.length / CHUNK), 1) }, (_, at) =>
    wanted.slice(at * CHUNK, (at + 1) * CHUNK),
  )
  return chunks.map((chunk, at) => {
    const conversation = { id, messages: chunk.map(asHistory), endOfHistoryTransferType }
    const order = { chunkOrder: at + 1, progress: Math.round(((at + 1) / chunks.length) * 100) }
    const bytes = packed({ syncType: Kind.ON_DEMAND, ...order, conversations: [conversation] })
    const { url: _, ...file } = cdn.publish('history', bytes)
    return notice({ syncType: Announced.ON_DEMAND, ...order, ...file, peerDataRequestSessionId: requestId })
  })
}

const isIn =
  (jid: string) =>
  ({ key }: Known) =>
    key.remoteJid === jid

const asHistory = ({ key, content, atSeconds }: Known) => ({
  message: { key, message: content, messageTimestamp: atSeconds },
})

function packed(history: proto.IHistorySync, salt: Buffer | null = null): Buffer {
  const written = proto.HistorySync.encode(history).finish()
  return deflateSync(salt === null ? written : Buffer.concat([written, saltForHistory(salt)]))
}

function notice(historySyncNotification: proto.Message.IHistorySyncNotification): proto.IMessage {
  const type = proto.Message.ProtocolMessage.Type.HISTORY_SYNC_NOTIFICATION
  return { protocolMessage: { type, historySyncNotification } }
}
