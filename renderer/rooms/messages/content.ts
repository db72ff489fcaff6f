import { amountOf } from '../../app/money.ts'
import { timeText } from '../../app/time.ts'
import type { ChatMessage } from './records.ts'

export type Content = NonNullable<ChatMessage['content']>
export type Poll = NonNullable<ChatMessage['poll']>

/** The card that a bubble shows above the text of a message. */
export interface Card {
  readonly icon: string
  /** A key below `messages.kind`; null if the title says the same. */
  readonly kind: string | null
  readonly title: string | null
  readonly lines: readonly string[]
  readonly href: string | null
  /** A key below `messages.card`. */
  readonly linkText: string | null
}

type Shape = Partial<Card> & Pick<Card, 'icon'>

/** @returns null for content that the bubble shows in another way, or that consists of text only. */
export function cardOf(content: Content, locale: string): Card | null {
  const shape = shapeOf(content, locale)
  return shape && { kind: null, title: null, lines: [], href: null, linkText: null, ...shape }
}

function shapeOf(content: Content, locale: string): Shape | null {
  const lines = (...all: readonly (string | null | undefined)[]) => all.filter((line): line is string => !!line)
  switch (content.type) {
    case 'location': {
      const { latitude, longitude, name, address, live } = content
      return {
        icon: 'i-lucide-map-pin',
        kind: live ? 'live' : null,
        title: name,
        lines: lines(address, coordinates(latitude, longitude)),
        href: mapUrl(latitude, longitude),
        linkText: 'map',
      }
    }
    case 'flow_reply':
      return { icon: 'i-lucide-clipboard-check', kind: 'form', lines: answersOf(content.response) }
    case 'poll_result': {
      const results = content.options.map(({ text, votes }) => `${text}: ${votes}`)
      return { icon: 'i-lucide-chart-bar', kind: 'pollResult', lines: results }
    }
    case 'order': {
      const items = content.items.map(({ product_id, quantity }) => `${quantity} × ${product_id}`)
      const count = content.items.length > 0 ? null : content.item_count
      return {
        icon: 'i-lucide-shopping-cart',
        kind: 'order',
        title: content.title,
        lines: lines(...items, count === null ? null : `× ${count}`, money(content.total, locale)),
      }
    }
    case 'product':
      return {
        icon: 'i-lucide-package',
        kind: 'product',
        title: content.title ?? content.retailer_id,
        lines: lines(content.description, money(content.price, locale)),
        ...link(content.url),
      }
    case 'payment':
      return {
        icon: 'i-lucide-banknote',
        kind: `payment_${content.action}`,
        title: money(content.amount, locale) ?? null,
      }
    case 'link':
      return {
        icon: 'i-lucide-link',
        title: content.title,
        lines: lines(content.description),
        ...link(content.url),
      }
    case 'event':
      return {
        icon: 'i-lucide-calendar',
        kind: content.canceled ? 'eventCanceled' : 'event',
        title: content.name,
        lines: lines(when(content.starts_at, locale), content.place, content.description),
        ...link(content.join_url),
      }
    case 'group_invite':
      return {
        icon: 'i-lucide-users',
        kind: content.community ? 'communityInvite' : 'groupInvite',
        title: content.name,
      }
    case 'channel_invite':
      return { icon: 'i-lucide-megaphone', kind: 'channelInvite', title: content.name }
    case 'button_reply':
    case 'list_reply':
    case 'contacts':
    case 'interactive':
    case 'template':
    case 'poll':
    case 'poll_vote':
    case 'unavailable':
      return null
  }
}

/** The text of a message; empty if a card or a poll already shows it. */
export function textBeside({ text, content, poll }: Pick<ChatMessage, 'text' | 'content' | 'poll'>): string {
  if (poll !== null) return ''
  const isInCard =
    content !== null &&
    (content.type === 'location' ||
      content.type === 'contacts' ||
      content.type === 'interactive' ||
      content.type === 'template' ||
      ('title' in content && content.type !== 'link' && !content.type.endsWith('_reply') && content.title === text) ||
      ('name' in content && content.name === text))
  return isInCard ? '' : text
}

const MOST_ANSWERS = 20

/** The answers of a submitted form, without its token, which is only for programs. */
function answersOf(response: Readonly<Record<string, unknown>> | null): string[] {
  const answers = Object.entries(response ?? {}).filter(([name]) => name !== 'flow_token')
  return answers
    .slice(0, MOST_ANSWERS)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
}

/** Links only to https addresses, because the sender chose the address. */
const link = (url: string | null): Pick<Card, 'href' | 'linkText'> =>
  url !== null && URL.canParse(url) && new URL(url).protocol === 'https:'
    ? { href: url, linkText: 'open' }
    : { href: null, linkText: null }

/** Rounds coordinates to about one meter. */
const round = (degrees: number) => Math.round(degrees * 100_000) / 100_000
const coordinates = (latitude: number, longitude: number) => `${String(round(latitude))}, ${String(round(longitude))}`

const mapUrl = (latitude: number, longitude: number) =>
  `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`

const when = (at: string | null, locale: string) => (at === null ? null : timeText(at, { form: 'dateTime', locale }))

function money(value: { amount: number; currency: string } | null, locale: string): string | undefined {
  if (value === null) return undefined
  const { amount, currency } = value
  // The sender can write anything as currency, but the currency format accepts only three letters.
  return /^[A-Za-z]{3}$/.test(currency) ? amountOf(amount, currency, locale) : `${amount} ${currency}`
}

/** Percentage of the voters who chose an option. */
export const share = ({ voters }: Poll, votes: number): number =>
  voters.length === 0 ? 0 : Math.round((votes / voters.length) * 100)

export const votersFor = ({ voters }: Poll, option: string): readonly string[] =>
  voters.filter(({ options }) => options.includes(option)).map(({ number }) => number)
