import { encodeWAMessage, proto } from 'baileys'
import { earlierHistory } from './history.ts'
import type { DeviceInside } from './linked-device.ts'
import type { Cdn } from './media.ts'
import type { Envelope, PhoneInside } from './people.ts'
import { newMessageId } from './speech.ts'
import { numberJid, seconds, stanza, type Stanza } from './stanza.ts'

type Request = proto.Message.IPeerDataOperationRequestMessage

const { PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE } = proto.Message.ProtocolMessage.Type

/** A message from the phone to a linked device of its own account, outside of every chat. */
export async function peerStanza(phone: PhoneInside, device: DeviceInside, content: proto.IMessage): Promise<Stanza> {
  const peer = `${device.number}:${device.id}`
  if (!phone.signal.knows(peer)) await phone.signal.meet(peer, device.bundle())
  const { type, bytes } = await phone.signal.seal(peer, encodeWAMessage(content))
  const attributes = { from: numberJid(phone.number), id: newMessageId(), t: seconds(), type: 'text', category: 'peer' }
  return stanza('message', attributes, [stanza('enc', { v: 2, type }, bytes)])
}

/** Answers a linked device that asks its own phone for a message without content, or for earlier history. */
export async function answerPeerRequest(
  phone: PhoneInside,
  { id, from }: Envelope,
  content: proto.IMessage,
  cdn: Cdn,
): Promise<void> {
  // The library wraps messages to its own phone like copies of sent messages.
  const plain = content.deviceSentMessage?.message ?? content
  const request = plain.protocolMessage?.peerDataOperationRequestMessage
  if (!request) return
  const earlier = request.historySyncOnDemandRequest
  if (earlier && !phone.habits.answersForHistory) return
  const answers = earlier ? earlierHistory(phone, earlier, id, cdn) : resent(phone, request, id)
  for (const answer of answers) from.enqueue(await peerStanza(phone, from, answer))
}

/** The missing messages that the phone has. */
function resent(phone: PhoneInside, request: Request, stanzaId: string): proto.IMessage[] {
  const found = (request.placeholderMessageResendRequest ?? []).flatMap(
    ({ messageKey }) => phone.known.get(messageKey?.id ?? '') ?? [],
  )
  if (found.length === 0) return []
  const peerDataOperationResult = found.map(({ key, content: message, atSeconds: messageTimestamp }) => ({
    placeholderMessageResendResponse: {
      webMessageInfoBytes: proto.WebMessageInfo.encode({ key, message, messageTimestamp }).finish(),
    },
  }))
  const answer = {
    peerDataOperationRequestType: request.peerDataOperationRequestType ?? null,
    stanzaId,
    peerDataOperationResult,
  }
  const type = PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE
  return [{ protocolMessage: { type, peerDataOperationRequestResponseMessage: answer } }]
}
