import * as library from 'baileys'
import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { MessageContent } from '../../../main/contract/message-content.ts'
import { senderOfStanza } from '../../../main/engines/smv2/sender.ts'
import { parseMessage, type ParsedMessage } from '../../../main/engines/smv2/parse-message.ts'
import { isUnknownKind } from '../../../main/engines/smv2/unwrap.ts'

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
  // What has no type of its own is a text; its content says what it is.
  [{ orderMessage: { orderId: '1' } }, 'text', ''],
  [{ productMessage: { product: { title: 'Tea' }, body: 'This one?' } }, 'text', 'This one?'],
  [{ interactiveMessage: { body: { text: 'Choose' } } }, 'text', 'Choose'],
  [{ commentMessage: { message: { conversation: 'Nice' }, targetMessageKey: { id: 'ABC' } } }, 'text', 'Nice'],
  // A file that nothing can be fetched of, and a kind that nobody here can read.
  [{ imageMessage: { caption: 'Look' } }, 'unavailable', 'Look'],
  [{ encCommentMessage: { encPayload: Buffer.from('x') } }, 'unavailable', ''],
]

const SECONDS = 1_767_614_400
const AT = '2026-01-05T12:00:00.000Z'
const VCARD =
  'BEGIN:VCARD\nFN:Ben B.\nitem1.TEL;type=CELL;waid=12025550102:+1 202 555 0102\nTEL:(202) 555-01\n 03\nEND:VCARD'
const poll = { name: 'When?', options: [{ optionName: 'Today' }, { optionName: 'Later' }], selectableOptionsCount: 1 }
const POLL = { type: 'poll', question: 'When?', options: ['Today', 'Later'], max_choices: 1 }
const PLACE = { degreesLatitude: 52.5, degreesLongitude: 13.4 }

const CONTENTS: readonly (readonly [library.proto.IMessage, content: object | null])[] = [
  [{ conversation: 'Hi' }, null],
  [
    { locationMessage: { ...PLACE, name: 'Shop', address: 'Main St', url: 'https://shop.example' } },
    {
      ...{ type: 'location', latitude: 52.5, longitude: 13.4, name: 'Shop', address: 'Main St' },
      ...{ url: 'https://shop.example', live: false },
    },
  ],
  [{ liveLocationMessage: PLACE }, { type: 'location', latitude: 52.5, live: true, name: null }],
  [
    { contactMessage: { displayName: 'Ben', vcard: VCARD } },
    { type: 'contacts', contacts: [{ name: 'Ben', numbers: ['12025550102', '2025550103'], vcard: VCARD }] },
  ],
  [
    { contactsArrayMessage: { displayName: '2 contacts', contacts: [{ vcard: VCARD }, { displayName: 'Cleo' }] } },
    { contacts: [{ name: 'Ben B.' }, { name: 'Cleo', numbers: [], vcard: null }] },
  ],
  [
    { buttonsResponseMessage: { selectedButtonId: 'b1', selectedDisplayText: 'Yes' } },
    { type: 'button_reply', id: 'b1', title: 'Yes' },
  ],
  [
    { templateButtonReplyMessage: { selectedId: 't1', selectedDisplayText: 'Yes' } },
    { type: 'button_reply', id: 't1', title: 'Yes' },
  ],
  [
    { listResponseMessage: { title: 'Second', description: 'Of two', singleSelectReply: { selectedRowId: 'r2' } } },
    { type: 'list_reply', id: 'r2', title: 'Second', description: 'Of two' },
  ],
  [
    {
      interactiveResponseMessage: {
        body: { text: 'Sent' },
        nativeFlowResponseMessage: { name: 'flow', paramsJson: '{"id":"f1","size":"L"}' },
      },
    },
    { type: 'flow_reply', id: 'f1', title: 'Sent', name: 'flow', response: { id: 'f1', size: 'L' } },
  ],
  [
    { interactiveResponseMessage: { nativeFlowResponseMessage: { name: 'flow', paramsJson: 'broken' } } },
    { type: 'flow_reply', id: null, response: null },
  ],
  [{ pollCreationMessage: poll }, POLL],
  [{ pollCreationMessageV2: { ...poll, selectableOptionsCount: 0 } }, { ...POLL, max_choices: null }],
  [{ pollCreationMessageV3: poll }, POLL],
  [{ pollCreationMessageV4: { message: { pollCreationMessageV3: poll } } }, POLL],
  [{ pollCreationMessageV5: poll }, POLL],
  [
    { pollResultSnapshotMessageV3: { name: 'When?', pollVotes: [{ optionName: 'Today', optionVoteCount: 3 }] } },
    { type: 'poll_result', question: 'When?', options: [{ text: 'Today', votes: 3 }] },
  ],
  [
    {
      orderMessage: { orderId: '1', itemCount: 2, totalAmount1000: 12_500, totalCurrencyCode: 'USD', token: 'secret' },
    },
    {
      ...{ type: 'order', order_id: '1', title: null, catalog_id: null, item_count: 2, items: [] },
      total: { amount: 12.5, currency: 'USD' },
    },
  ],
  [
    {
      productMessage: {
        product: { productId: 'p', title: 'Tea', priceAmount1000: 3_000, currencyCode: 'EUR' },
        businessOwnerJid: '12025550102@s.whatsapp.net',
      },
    },
    { type: 'product', product_id: 'p', title: 'Tea', price: { amount: 3, currency: 'EUR' }, business: '12025550102' },
  ],
  [
    {
      requestPaymentMessage: {
        noteMessage: { extendedTextMessage: { text: 'Lunch' } },
        ...{ amount1000: 9_000, currencyCodeIso4217: 'BRL', expiryTimestamp: SECONDS },
      },
    },
    { type: 'payment', action: 'request', amount: { amount: 9, currency: 'BRL' }, note: 'Lunch', expires_at: AT },
  ],
  [{ sendPaymentMessage: { noteMessage: { conversation: 'Here' } } }, { action: 'sent', note: 'Here', amount: null }],
  [{ declinePaymentRequestMessage: { key: { id: 'A' } } }, { type: 'payment', action: 'declined' }],
  [{ cancelPaymentRequestMessage: { key: { id: 'A' } } }, { type: 'payment', action: 'cancelled' }],
  [{ paymentInviteMessage: { serviceType: 3 } }, { type: 'payment', action: 'invite' }],
  [{ invoiceMessage: { note: 'June' } }, { type: 'payment', action: 'invoice', note: 'June' }],
  [
    { extendedTextMessage: { text: 'See https://a.example', matchedText: 'https://a.example', title: 'A' } },
    { type: 'link', url: 'https://a.example', title: 'A', description: null },
  ],
  [
    {
      eventMessage: { name: 'Party', startTime: SECONDS, location: { name: 'Barn' }, joinLink: 'https://call.example' },
    },
    {
      ...{ type: 'event', name: 'Party', description: null, starts_at: AT, ends_at: null, place: 'Barn' },
      ...{ join_url: 'https://call.example', canceled: false },
    },
  ],
  [
    { scheduledCallCreationMessage: { title: 'Standup', scheduledTimestampMs: SECONDS * 1_000 } },
    { type: 'event', name: 'Standup', starts_at: AT },
  ],
  [
    { groupInviteMessage: { groupJid: '1203@g.us', groupName: 'Garden', inviteCode: 'abc', groupType: 1 } },
    { type: 'group_invite', group_id: '1203@g.us', name: 'Garden', community: true, invite_code: 'abc' },
  ],
  [
    {
      newsletterAdminInviteMessage: {
        newsletterJid: '1@newsletter',
        newsletterName: 'News',
        inviteExpiration: SECONDS,
      },
    },
    { type: 'channel_invite', channel_id: '1@newsletter', name: 'News', role: 'admin', expires_at: AT },
  ],
  [
    { newsletterFollowerInviteMessageV2: { newsletterJid: '1@newsletter', newsletterName: 'News' } },
    { type: 'channel_invite', role: 'follower' },
  ],
  [{ stickerPackMessage: {} }, { type: 'unavailable', reason: 'unsupported', kind: 'stickerPackMessage' }],
  [{ imageMessage: {} }, { type: 'unavailable', reason: 'file_missing', kind: 'imageMessage' }],
  [{ viewOnceMessageV2: { message: { imageMessage: {} } } }, { type: 'unavailable', reason: 'view_once' }],
]

describe('content other than text and files', () => {
  test.each(CONTENTS)('is parsed from %j', (message, content) => {
    const words = heard(message)
    const found = words.kind === 'received' ? words.content : undefined
    if (content === null) expect(found).toBeNull()
    else expect(found).toMatchObject(content)
    expect(found === null || Check(MessageContent, found)).toBe(true)
  })

  test('in a view-once file is marked as such in every form, and parsed as a file', () => {
    for (const message of [
      { viewOnceMessage: { message: { imageMessage: FILE } } },
      { ephemeralMessage: { message: { viewOnceMessageV2: { message: { imageMessage: FILE } } } } },
      { viewOnceMessageV2Extension: { message: { imageMessage: FILE } } },
      { imageMessage: { ...FILE, viewOnce: true } },
    ]) {
      expect(heard(message)).toMatchObject({ type: 'image', viewOnce: true, content: null, file: { type: 'image' } })
    }
    expect(heard({ imageMessage: FILE })).toMatchObject({ viewOnce: false })
  })

  test.each([
    [{ isForwarded: true, forwardingScore: 1 }, 'forwarded'],
    [{ isForwarded: true }, 'forwarded'],
    [{ isForwarded: true, forwardingScore: 4 }, 'forwarded'],
    [{ isForwarded: true, forwardingScore: 5 }, 'frequently'],
    [{ isForwarded: true, forwardingScore: 127 }, 'frequently'],
    [{ forwardingScore: 2 }, 'forwarded'],
    [{ isForwarded: false, forwardingScore: 0 }, null],
    [{}, null],
  ])('with the context %j has the forward mark %s', (contextInfo, forwarded) => {
    expect(heard({ extendedTextMessage: { text: 'Pass it on', contextInfo } })).toMatchObject({ forwarded })
    expect(heard({ ephemeralMessage: { message: { imageMessage: { ...FILE, contextInfo } } } })).toMatchObject({
      forwarded,
    })
    expect(heard({ imageMessage: { contextInfo } })).toMatchObject({ type: 'unavailable', forwarded })
  })

  test('that is an animated sticker is a sticker, and a picture above buttons is a picture', () => {
    expect(heard({ lottieStickerMessage: { message: { stickerMessage: FILE } } })).toMatchObject({ type: 'sticker' })
    const header = { imageMessage: FILE }
    expect(heard({ interactiveMessage: { header, body: { text: 'Choose' } } })).toMatchObject({
      ...{ type: 'image', text: 'Choose' },
    })
  })

  test('in a large contact card is kept without its photo', () => {
    const vcard = `BEGIN:VCARD\r\nFN:Ben\r\nPHOTO;BASE64:${'A'.repeat(30_000)}\r\n BBBB\r\nTEL:+1202\r\nEND:VCARD`
    expect(heard({ contactMessage: { vcard } })).toMatchObject({
      content: { contacts: [{ name: 'Ben', vcard: 'BEGIN:VCARD\r\nFN:Ben\r\nTEL:+1202\r\nEND:VCARD' }] },
    })
  })

  test('in endlessly nested wrappers is not followed', () => {
    let message: library.proto.IMessage = { conversation: 'Hi' }
    for (let depth = 0; depth < 50; depth++) message = { ephemeralMessage: { message } }
    expect(heard(message).kind).not.toBe('nothing')
  })

  test('of a kind unknown to the library is reported, and an empty message is not', () => {
    const decode = (bytes: Uint8Array) => library.proto.Message.decode(bytes)
    // Field 900, which no version has, around two bytes.
    const newer = Buffer.from([0xa2, 0x38, 0x02, 0x08, 0x01])
    const inWrapper = Buffer.concat([Buffer.from([0xc2, 0x02, 0x07, 0x0a, 0x05]), newer])
    expect(library.proto.Message.decode(inWrapper).ephemeralMessage).toBeTruthy()
    for (const bytes of [newer, inWrapper]) expect(isUnknownKind(library, decode(bytes), bytes)).toBe(true)
    const known = library.proto.Message.encode({ conversation: 'Hi', messageContextInfo: {} }).finish()
    expect(isUnknownKind(library, decode(known), known)).toBe(false)
    expect(isUnknownKind(library, {}, Buffer.alloc(0))).toBe(false)
  })
})

describe('text and files', () => {
  test.each(TEXTS)('are parsed from %j', (message, type, text) => {
    expect(heard(message)).toMatchObject({ kind: 'received', type, text })
  })

  test('have the preview details that a phone sends, within limits', () => {
    const jpeg = Buffer.from('ffd8ffe0', 'hex')
    const bars = Array.from({ length: 64 }, (_, bar) => bar)
    const voice = { ...FILE, seconds: 7, waveform: Buffer.from(bars) }
    const previewOf = (message: library.proto.IMessage) => {
      const found = heard(message)
      return found.kind === 'received' ? found.file?.preview : undefined
    }
    expect(previewOf({ audioMessage: voice })).toEqual({ seconds: 7, waveform: bars, thumbnail: null })
    const thumbnail = jpeg.toString('base64')
    expect(previewOf({ videoMessage: { ...FILE, seconds: 90, jpegThumbnail: jpeg } })).toEqual({
      ...{ seconds: 90, waveform: null, thumbnail },
    })
    expect(previewOf({ imageMessage: { ...FILE, jpegThumbnail: jpeg } })).toMatchObject({ thumbnail })
    const large = Buffer.concat([jpeg, Buffer.alloc(20_000)])
    const odd = [
      { imageMessage: { ...FILE, jpegThumbnail: large } },
      { imageMessage: { ...FILE, jpegThumbnail: Buffer.from('<svg>') } },
      { audioMessage: { ...FILE, seconds: 4_000_000_000, waveform: Buffer.alloc(64, 200) } },
      { audioMessage: { ...FILE, waveform: Buffer.alloc(10_000) } },
      { imageMessage: FILE },
    ]
    for (const message of odd) expect(previewOf(message)).toBeNull()
  })

  test('have the path of the file only, because the sender can write any host', () => {
    expect(heard({ imageMessage: FILE })).toMatchObject({ file: { path: '/v/t62/one', type: 'image' } })
    const { directPath: _, ...onlyUrl } = FILE
    expect(heard({ imageMessage: onlyUrl })).toMatchObject({ file: { path: '/v/t62/one' } })
    expect(heard({ imageMessage: { ...FILE, directPath: '//evil.example/x' } })).toMatchObject({ file: null })
  })

  test('have the quoted message and the advertisement that they belong to', () => {
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
  [{ albumMessage: { expectedImageCount: 2 } }, { kind: 'nothing' }],
  [{}, { kind: 'nothing' }],
]

test.each(ACTS)('messages about earlier messages and between devices are parsed from %j', (message, words) => {
  expect(heard(message)).toEqual(words)
})

describe('the sender of a message', () => {
  const me = { id: '12025550200:11@s.whatsapp.net', lid: '900000000000001:11@lid' }
  const speak = (attributes: Record<string, string>) =>
    senderOfStanza({ id: 'ABC', t: '1767614400', ...attributes }, me)

  test('is a number, a hidden id, or both', () => {
    expect(speak({ from: '12025550101@s.whatsapp.net', sender_lid: '900000000000002@lid' })).toMatchObject({
      ...{ isFromMe: false, chat: { number: '12025550101', hiddenId: '900000000000002' }, atMs: 1_767_614_400_000 },
    })
    expect(speak({ from: '900000000000002:3@lid' })?.chat).toEqual({ number: null, hiddenId: '900000000000002' })
  })

  test('is the own phone, with its number or its hidden id', () => {
    const recipient = '12025550101@s.whatsapp.net'
    for (const from of ['12025550200@s.whatsapp.net', '900000000000001@lid']) {
      expect(speak({ from, recipient })).toMatchObject({ isFromMe: true, chat: { number: '12025550101' } })
    }
  })

  test('is a participant in a group', () => {
    const said = { from: '1203@g.us', participant: '900000000000002@lid', participant_pn: '12025550101@s.whatsapp.net' }
    expect(speak(said)).toMatchObject({
      ...{ group: '1203@g.us', isFromMe: false, chat: null },
      participant: { number: '12025550101', hiddenId: '900000000000002' },
    })
  })

  test('on a broadcast list is treated like the sender of a direct message', () => {
    const said = { from: '1767@broadcast', participant: '12025550101@s.whatsapp.net' }
    expect(speak(said)).toMatchObject({ group: null, isFromMe: false, chat: { number: '12025550101' } })
    expect(speak({ ...said, participant: '12025550200:3@s.whatsapp.net' })).toBeUndefined()
  })

  test('is missing in a channel', () => {
    const channel = '12036@newsletter'
    expect(speak({ from: channel })).toMatchObject({ group: channel, chat: null, participant: null, isFromMe: false })
  })

  test('is undefined if the message does not belong to a conversation', () => {
    expect(speak({ from: 'status@broadcast', participant: '12025550101@s.whatsapp.net' })).toBeUndefined()
    expect(senderOfStanza({ from: '12025550101@s.whatsapp.net' }, me)).toBeUndefined()
  })
})
