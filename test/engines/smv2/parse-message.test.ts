import * as library from 'baileys'
import { describe, expect, test } from 'vitest'
import { senderOfStanza } from '../../../main/engines/smv2/sender.ts'
import { parseMessage, type ParsedMessage } from '../../../main/engines/smv2/parse-message.ts'

const { Type } = library.proto.Message.ProtocolMessage

/** Over the wire, as it really comes: what is not set has the defaults of the encoding then. */
const heard = (message: library.proto.IMessage): ParsedMessage =>
  parseMessage(library, library.proto.Message.decode(library.proto.Message.encode(message).finish()))

const FILE = {
  ...{ mediaKey: Buffer.alloc(32, 1), fileSha256: Buffer.alloc(32, 2), fileEncSha256: Buffer.alloc(32, 3) },
  ...{ directPath: '/v/t62/one', mimetype: 'image/jpeg', url: 'https://evil.example/v/t62/one' },
}

const TEXTS: readonly (readonly [library.proto.IMessage, type: string, text: string])[] = [
  [{ conversation: 'Hi' }, 'text', 'Hi'],
  [{ extendedTextMessage: { text: 'Hi' } }, 'text', 'Hi'],
  [{ ephemeralMessage: { message: { conversation: 'Gone tomorrow' } } }, 'text', 'Gone tomorrow'],
  [
    { locationMessage: { degreesLatitude: 1, degreesLongitude: 2, name: 'Shop', address: 'Main St' } },
    'location',
    'Shop, Main St',
  ],
  [{ liveLocationMessage: { degreesLatitude: 1, degreesLongitude: 2 } }, 'location', '1, 2'],
  [{ contactMessage: { displayName: 'Ben', vcard: 'x' } }, 'contact', 'Ben'],
  [{ pollCreationMessageV3: { name: 'When?' } }, 'poll', 'When?'],
  [{ listResponseMessage: { title: 'The second' } }, 'text', 'The second'],
  [{ imageMessage: { ...FILE, caption: 'Look' } }, 'image', 'Look'],
  [{ documentWithCaptionMessage: { message: { documentMessage: { ...FILE, fileName: 'a.pdf' } } } }, 'document', ''],
  [{ audioMessage: { ...FILE, ptt: true } }, 'audio', ''],
  [{ stickerMessage: FILE }, 'sticker', ''],
  // A file that nothing can be fetched of, and a kind that nobody here knows.
  [{ imageMessage: { caption: 'Look' } }, 'unavailable', 'Look'],
  [{ orderMessage: { orderId: '1' } }, 'unavailable', ''],
]

describe('what was said', () => {
  test.each(TEXTS)('%j', (message, type, text) => {
    expect(heard(message)).toMatchObject({ kind: 'received', type, text })
  })

  test('a file is found by its path alone: the host in a message is whatever its sender wrote', () => {
    expect(heard({ imageMessage: FILE })).toMatchObject({ file: { path: '/v/t62/one', type: 'image' } })
    const { directPath: _, ...onlyUrl } = FILE
    expect(heard({ imageMessage: onlyUrl })).toMatchObject({ file: { path: '/v/t62/one' } })
    expect(heard({ imageMessage: { ...FILE, directPath: '//evil.example/x' } })).toMatchObject({ file: null })
  })

  test('an answer and an advertisement say what they belong to', () => {
    const externalAdReply = { sourceUrl: 'https://fb.me/ad', sourceId: '17', title: 'Spring', ctwaClid: 'clid' }
    expect(
      heard({ extendedTextMessage: { text: 'Hi', contextInfo: { stanzaId: 'ABC', externalAdReply } } }),
    ).toMatchObject({
      quoted: 'ABC',
      referral: { source_url: 'https://fb.me/ad', source_id: '17', headline: 'Spring', ctwa_clid: 'clid' },
    })
    expect(heard({ conversation: 'Hi' })).toMatchObject({ quoted: null, referral: null })
  })
})

const key = { id: 'ABC', remoteJid: '12025550101@s.whatsapp.net', fromMe: false }

const ACTS: readonly (readonly [library.proto.IMessage, ParsedMessage])[] = [
  [{ reactionMessage: { key, text: '👍' } }, { kind: 'reaction', target: 'ABC', emoji: '👍' }],
  [{ reactionMessage: { key } }, { kind: 'reaction', target: 'ABC', emoji: '' }],
  [{ protocolMessage: { type: Type.REVOKE, key } }, { kind: 'deleted', target: 'ABC' }],
  [
    {
      editedMessage: {
        message: { protocolMessage: { type: Type.MESSAGE_EDIT, key, editedMessage: { conversation: 'B' } } },
      },
    },
    { kind: 'edited', target: 'ABC', text: 'B' },
  ],
  [{ protocolMessage: { type: Type.APP_STATE_SYNC_KEY_SHARE } }, { kind: 'nothing' }],
  [{ senderKeyDistributionMessage: { groupId: 'x' } }, { kind: 'nothing' }],
  [{ pollUpdateMessage: { pollCreationMessageKey: key } }, { kind: 'nothing' }],
  [{}, { kind: 'nothing' }],
]

test.each(ACTS)('what was done to something said before, or between devices: %j', (message, words) => {
  expect(heard(message)).toEqual(words)
})

describe('who said it', () => {
  const me = { id: '12025550200:11@s.whatsapp.net', lid: '900000000000001:11@lid' }
  const speak = (attributes: Record<string, string>) =>
    senderOfStanza({ id: 'ABC', t: '1767614400', ...attributes }, me)

  test('a number, a hidden id, or both', () => {
    expect(speak({ from: '12025550101@s.whatsapp.net', sender_lid: '900000000000002@lid' })).toMatchObject({
      ...{ isFromMe: false, chat: { number: '12025550101', hiddenId: '900000000000002' }, atMs: 1_767_614_400_000 },
    })
    expect(speak({ from: '900000000000002:3@lid' })?.chat).toEqual({ number: null, hiddenId: '900000000000002' })
  })

  test("one's own phone, under either of its names", () => {
    const recipient = '12025550101@s.whatsapp.net'
    for (const from of ['12025550200@s.whatsapp.net', '900000000000001@lid']) {
      expect(speak({ from, recipient })).toMatchObject({ isFromMe: true, chat: { number: '12025550101' } })
    }
  })

  test('somebody in a group', () => {
    const said = { from: '1203@g.us', participant: '900000000000002@lid', participant_pn: '12025550101@s.whatsapp.net' }
    expect(speak(said)).toMatchObject({
      ...{ group: '1203@g.us', isFromMe: false, chat: null },
      participant: { number: '12025550101', hiddenId: '900000000000002' },
    })
  })

  test('nobody where it is no conversation', () => {
    expect(speak({ from: 'status@broadcast', participant: '12025550101@s.whatsapp.net' })).toBeUndefined()
    expect(speak({ from: '12036@newsletter' })).toBeUndefined()
    expect(senderOfStanza({ from: '12025550101@s.whatsapp.net' }, me)).toBeUndefined()
  })
})
