import { deflateSync } from 'node:zlib'
import { encodeWAMessage, proto } from 'baileys'
import type { DeviceInside } from './linked-device.ts'
import type { Envelope, PhoneInside } from './people.ts'
import { newMessageId } from './speech.ts'
import { lidJid, numberJid, seconds, stanza, type Stanza } from './stanza.ts'

const { HISTORY_SYNC_NOTIFICATION, PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE } = proto.Message.ProtocolMessage.Type

/** What a phone tells a client of its own account, past every chat. */
export async function peerStanza(phone: PhoneInside, device: DeviceInside, content: proto.IMessage): Promise<Stanza> {
  const peer = `${device.number}:${device.id}`
  if (!phone.signal.knows(peer)) await phone.signal.meet(peer, device.bundle())
  const { type, bytes } = await phone.signal.seal(peer, encodeWAMessage(content))
  const attributes = { from: numberJid(phone.number), id: newMessageId(), t: seconds(), type: 'text', category: 'peer' }
  return stanza('message', attributes, [stanza('enc', { v: 2, type }, bytes)])
}

/** The first history a client gets: the chats the phone has, and who is who. */
export function welcomeHistory(phone: PhoneInside, find: (number: string) => PhoneInside): proto.IMessage {
  const people = [...phone.writers].map(find)
  const history = {
    syncType: proto.HistorySync.HistorySyncType.INITIAL_BOOTSTRAP,
    conversations: people.map(({ number }) => ({
      id: numberJid(number),
      messages: [...phone.known.values()]
        .filter(({ key }) => key.remoteJid === numberJid(number))
        .map(({ key, content }) => ({ message: { key, message: content, messageTimestamp: seconds() } })),
    })),
    pushnames: people.map(({ number, habits }) => ({ id: numberJid(number), pushname: habits.name })),
    phoneNumberToLidMappings: people.map(({ number, lid }) => ({ pnJid: numberJid(number), lidJid: lidJid(lid) })),
  }
  return {
    protocolMessage: {
      type: HISTORY_SYNC_NOTIFICATION,
      historySyncNotification: {
        syncType: proto.Message.HistorySyncType.INITIAL_BOOTSTRAP,
        chunkOrder: 1,
        progress: 100,
        initialHistBootstrapInlinePayload: deflateSync(proto.HistorySync.encode(history).finish()),
      },
    },
  }
}

/** A client asks its own phone for a message that came to it without content. */
export async function answerPeerRequest(
  phone: PhoneInside,
  { id, from }: Envelope,
  content: proto.IMessage,
): Promise<void> {
  // The library wraps what it says to its own phone as if it were a copy.
  const plain = content.deviceSentMessage?.message ?? content
  const request = plain.protocolMessage?.peerDataOperationRequestMessage
  const asked = request?.placeholderMessageResendRequest ?? []
  const found = asked.flatMap(({ messageKey }) => {
    const known = phone.known.get(messageKey?.id ?? '')
    return known ? [known] : []
  })
  if (found.length === 0) return
  const peerDataOperationResult = found.map(({ key, content: message }) => ({
    placeholderMessageResendResponse: {
      webMessageInfoBytes: proto.WebMessageInfo.encode({ key, message, messageTimestamp: seconds() }).finish(),
    },
  }))
  const answer = {
    peerDataOperationRequestType: request?.peerDataOperationRequestType ?? null,
    stanzaId: id,
    peerDataOperationResult,
  }
  const type = PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE
  from.enqueue(
    await peerStanza(phone, from, {
      protocolMessage: { type, peerDataOperationRequestResponseMessage: answer },
    }),
  )
}
