import type { proto } from 'baileys'
import type { MessageContent } from '../../contract/message-content.ts'
import { isoTime } from '../../contract/request.ts'
import { toContact } from '../vcard.ts'
import { addressOf } from './jid.ts'

type Of<T extends MessageContent['type']> = Extract<MessageContent, { type: T }>
type Whole = proto.IMessage
type Number64 = Parameters<typeof String>[0]

/** What a message is besides text and file, or null. Files, and what nobody here can read, are told apart elsewhere. */
export function contentOf(message: Whole): MessageContent | null {
  for (const read of READERS) {
    const found = read(message)
    if (found) return found
  }
  return null
}

type Reader = (message: Whole) => MessageContent | null | undefined

const READERS: readonly Reader[] = [
  ({ locationMessage: place }) => place && locationOf(place, place.isLive === true),
  ({ liveLocationMessage: place }) => place && locationOf(place, true),
  ({ contactMessage: card }) => card && { type: 'contacts', contacts: [toContact(card.vcard, card.displayName)] },
  ({ contactsArrayMessage: cards }) =>
    cards && {
      type: 'contacts',
      contacts: (cards.contacts ?? []).map(({ vcard, displayName }) => toContact(vcard, displayName)),
    },
  (message) => replyOf(message),
  (message) => pollOf(message),
  ({ pollResultSnapshotMessage, pollResultSnapshotMessageV3 }) =>
    pollResultOf(pollResultSnapshotMessage ?? pollResultSnapshotMessageV3),
  ({ orderMessage: order }) => order && orderOf(order),
  ({ productMessage: product }) => product && productOf(product),
  (message) => paymentOf(message),
  ({ eventMessage: event }) => event && eventOf(event),
  ({ scheduledCallCreationMessage: call }) => call && scheduledCallOf(call),
  ({ groupInviteMessage: invite }) => invite && groupInviteOf(invite),
  ({ newsletterAdminInviteMessage: invite }) => invite && channelInviteOf(invite, 'admin'),
  ({ newsletterFollowerInviteMessageV2: invite }) => invite && channelInviteOf(invite, 'follower'),
  ({ extendedTextMessage: text }) => text && linkOf(text),
]

function locationOf(
  place: proto.Message.ILocationMessage | proto.Message.ILiveLocationMessage,
  live: boolean,
): Of<'location'> {
  const { name, address, url } = 'caption' in place ? {} : (place as proto.Message.ILocationMessage)
  return {
    type: 'location',
    latitude: place.degreesLatitude ?? 0,
    longitude: place.degreesLongitude ?? 0,
    ...{ name: name || null, address: address || null, url: url || null },
    live,
  }
}

function replyOf(message: Whole): MessageContent | undefined {
  const { buttonsResponseMessage: button, templateButtonReplyMessage: template, listResponseMessage: list } = message
  if (button) {
    return { type: 'button_reply', id: button.selectedButtonId || null, title: button.selectedDisplayText ?? '' }
  }
  if (template)
    return { type: 'button_reply', id: template.selectedId || null, title: template.selectedDisplayText ?? '' }
  if (list) {
    const id = list.singleSelectReply?.selectedRowId || null
    return { type: 'list_reply', id, title: list.title ?? '', description: list.description || null }
  }
  const { interactiveResponseMessage: interactive } = message
  if (!interactive) return undefined
  const { name, paramsJson } = interactive.nativeFlowResponseMessage ?? {}
  const response = parseRecord(paramsJson)
  const id = typeof response?.['id'] === 'string' ? response['id'] : null
  return { type: 'flow_reply', id, title: interactive.body?.text ?? '', name: name || null, response }
}

/** Written by the sender's program: anything may be in it. */
function parseRecord(json: string | null | undefined): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(json ?? '')
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? { ...parsed } : null
  } catch {
    return null
  }
}

const pollIn = (message: Whole) =>
  message.pollCreationMessage ??
  message.pollCreationMessageV2 ??
  message.pollCreationMessageV3 ??
  message.pollCreationMessageV5

function pollOf(message: Whole): Of<'poll'> | undefined {
  const poll = pollIn(message)
  if (!poll) return undefined
  return {
    type: 'poll',
    question: poll.name ?? '',
    options: (poll.options ?? []).map(({ optionName }) => optionName ?? ''),
    // 0: as many as there are.
    max_choices: poll.selectableOptionsCount || null,
  }
}

function pollResultOf(result: proto.Message.IPollResultSnapshotMessage | null | undefined): MessageContent | undefined {
  if (!result) return undefined
  const options = (result.pollVotes ?? []).map(({ optionName, optionVoteCount }) => ({
    text: optionName ?? '',
    votes: numberOf(optionVoteCount) ?? 0,
  }))
  return { type: 'poll_result', question: result.name ?? '', options }
}

function orderOf(order: proto.Message.IOrderMessage): Of<'order'> {
  return {
    type: 'order',
    order_id: order.orderId || null,
    title: order.orderTitle || null,
    catalog_id: null,
    item_count: order.itemCount ?? null,
    total: moneyOf(order.totalAmount1000, order.totalCurrencyCode),
    items: [],
  }
}

function productOf({ product, businessOwnerJid }: proto.Message.IProductMessage): Of<'product'> {
  const seller = addressOf(businessOwnerJid ?? '')
  return {
    type: 'product',
    product_id: product?.productId || null,
    retailer_id: product?.retailerId || null,
    title: product?.title || null,
    description: product?.description || null,
    price:
      moneyOf(product?.salePriceAmount1000, product?.currencyCode) ??
      moneyOf(product?.priceAmount1000, product?.currencyCode),
    url: product?.url || null,
    business: seller.kind === 'number' ? seller.user : null,
  }
}

function paymentOf(message: Whole): MessageContent | undefined {
  const none = { amount: null, note: null, expires_at: null }
  const { requestPaymentMessage: request, sendPaymentMessage: sent, paymentInviteMessage: invite } = message
  if (request) {
    const money = request.amount
    const amount = money
      ? moneyOf(money.value, money.currencyCode, money.offset ?? 1)
      : moneyOf(request.amount1000, request.currencyCodeIso4217)
    const note = noteOf(request.noteMessage)
    return { type: 'payment', action: 'request', amount, note, expires_at: timeOf(request.expiryTimestamp) }
  }
  if (sent) return { type: 'payment', action: 'sent', ...none, note: noteOf(sent.noteMessage) }
  if (invite) return { type: 'payment', action: 'invite', ...none, expires_at: timeOf(invite.expiryTimestamp) }
  if (message.declinePaymentRequestMessage) return { type: 'payment', action: 'declined', ...none }
  if (message.cancelPaymentRequestMessage) return { type: 'payment', action: 'cancelled', ...none }
  const { invoiceMessage: invoice } = message
  return invoice ? { type: 'payment', action: 'invoice', ...none, note: invoice.note || null } : undefined
}

const noteOf = (note: Whole | null | undefined) => note?.extendedTextMessage?.text || note?.conversation || null

function eventOf(event: proto.Message.IEventMessage): Of<'event'> {
  const { name, address } = event.location ?? {}
  return {
    type: 'event',
    name: event.name ?? '',
    description: event.description || null,
    starts_at: timeOf(event.startTime),
    ends_at: timeOf(event.endTime),
    place: [name, address].filter((each) => each).join(', ') || null,
    join_url: event.joinLink || null,
    canceled: event.isCanceled === true,
  }
}

const scheduledCallOf = ({
  title,
  scheduledTimestampMs,
}: proto.Message.IScheduledCallCreationMessage): Of<'event'> => ({
  type: 'event',
  name: title ?? '',
  ...{ description: null, ends_at: null, place: null, join_url: null },
  starts_at: timeOf(scheduledTimestampMs),
  canceled: false,
})

const GROUP_KINDS = ['group', 'community']

const groupInviteOf = (invite: proto.Message.IGroupInviteMessage): Of<'group_invite'> => ({
  type: 'group_invite',
  group_id: invite.groupJid ?? '',
  name: invite.groupName || null,
  community: GROUP_KINDS[invite.groupType ?? 0] === 'community',
  invite_code: invite.inviteCode || null,
  expires_at: timeOf(invite.inviteExpiration),
})

const channelInviteOf = (
  invite: proto.Message.INewsletterAdminInviteMessage,
  role: 'follower' | 'admin',
): Of<'channel_invite'> => ({
  type: 'channel_invite',
  channel_id: invite.newsletterJid ?? '',
  name: invite.newsletterName || null,
  role,
  expires_at: timeOf(invite.inviteExpiration),
})

/** A link is only a card when the sender's phone made one. */
function linkOf({ matchedText, title, description }: proto.Message.IExtendedTextMessage): Of<'link'> | undefined {
  if (!matchedText || !(title || description)) return undefined
  return { type: 'link', url: matchedText, title: title || null, description: description || null }
}

function moneyOf(value: Number64, currency: string | null | undefined, offset = 1_000) {
  const amount = numberOf(value)
  return amount === null || !currency || offset < 1 ? null : { amount: amount / offset, currency }
}

/** 64-bit numbers come as objects. */
function numberOf(value: Number64): number | null {
  if (value === null || value === undefined) return null
  const number = Number(String(value))
  return Number.isFinite(number) ? number : null
}

/** Above this a time is in milliseconds: in seconds it would be the year 5138. */
const LARGEST_SECONDS = 100_000_000_000
const LARGEST_MS = 8_640_000_000_000_000

function timeOf(value: Number64): string | null {
  const time = numberOf(value)
  if (time === null || time <= 0 || time > LARGEST_MS) return null
  return isoTime(Math.floor(time < LARGEST_SECONDS ? time * 1_000 : time))
}
