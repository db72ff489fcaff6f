import { CARD_LIMITS, charactersIn } from '../../../main/contract/message-limits.ts'
import type { PhoneCard } from '../campaigns/preview.ts'
import { hasValue, hasVariable, mayAdd, newButton, toButton, toFormButtons } from './template-buttons.ts'
import type { ButtonKind, Component, FormButton } from './template-buttons.ts'
import { examplesOf, filledText, variablesIn, withExample, type HeaderFile } from './template-text.ts'

export const CARD_HEADERS = ['IMAGE', 'VIDEO'] as const
type CardHeader = (typeof CARD_HEADERS)[number]
export const CARD_BUTTONS = ['QUICK_REPLY', 'URL', 'PHONE_NUMBER'] as const satisfies readonly ButtonKind[]

/** One card of a carousel. */
export interface FormCard {
  /** null if no file was selected, or if the file at Meta stays. */
  readonly file: HeaderFile | null
  /** The header that Meta has, including its file. */
  readonly kept: Component | null
  readonly body: string
  /** All cards have the same kinds of buttons. */
  readonly buttons: readonly FormButton[]
  /** Example values for Meta’s review, by the name of the variable. */
  readonly examples: Readonly<Record<string, string>>
}

export interface Carousel {
  readonly format: CardHeader
  readonly cards: readonly FormCard[]
}

/** Whether each card has room for another button. */
export const mayAddToCards = (cards: readonly FormCard[], kind: ButtonKind): boolean => {
  const buttons = cards[0]?.buttons ?? []
  return buttons.length < CARD_LIMITS.buttons && mayAdd(buttons, kind)
}

const EMPTY_CARD: FormCard = { file: null, kept: null, body: '', buttons: [], examples: {} }
export const NEW_CAROUSEL: Carousel = { format: 'IMAGE', cards: [EMPTY_CARD, EMPTY_CARD] }

/** A new card with the buttons of the last one, because their texts are often the same. */
export const nextCard = ({ cards }: Carousel): FormCard => ({
  ...EMPTY_CARD,
  buttons: (cards.at(-1)?.buttons ?? []).map((button) => ({ ...button, value: '', example: '' })),
})

export const withButton = (cards: readonly FormCard[], kind: ButtonKind): readonly FormCard[] =>
  cards.map((card) => ({ ...card, buttons: [...card.buttons, newButton(kind, '')] }))

export const withoutButton = (cards: readonly FormCard[], index: number): readonly FormCard[] =>
  cards.map((card) => ({ ...card, buttons: card.buttons.toSpliced(index, 1) }))

export const moved = <T>(items: readonly T[], from: number, to: number): readonly T[] => {
  const item = items[from]
  return item === undefined ? items : items.toSpliced(from, 1).toSpliced(to, 0, item)
}

/** Removes the files, because a file of the other kind cannot be used. */
export const withFormat = ({ cards }: Carousel, format: CardHeader): Carousel => ({
  format,
  cards: cards.map((card) => ({ ...card, file: null })),
})

/** The fault of a card, as a key below `templates.cards.fault`. */
export type CardFault = 'noFile' | 'tooLong' | 'lineBreaks' | 'someText' | 'noExample' | 'noButton'

/** @returns for each card the first fault that Meta would reject. */
export function cardFaults({ format, cards }: Carousel): readonly (CardFault | undefined)[] {
  const hasTexts = cards.some(({ body }) => body.trim() !== '')
  return cards.map((card) => {
    if (card.file === null && card.kept?.format !== format) return 'noFile'
    const body = card.body.trim()
    if (charactersIn(body) > CARD_LIMITS.body) return 'tooLong'
    if (body.split('\n').length - 1 > CARD_LIMITS.lineBreaks) return 'lineBreaks'
    if (body === '' && hasTexts) return 'someText'
    if (card.buttons.some(({ text, kind, value }) => text.trim() === '' || (hasValue(kind) && value.trim() === '')))
      return 'noButton'
    const isShown = [
      ...variablesIn(body).map((name) => card.examples[name] ?? ''),
      ...card.buttons.filter(hasVariable).map(({ example }) => example),
    ].every((example) => example.trim() !== '')
    return isShown ? undefined : 'noExample'
  })
}

/** @returns undefined for cards that the form does not support, such as product cards. */
export function toCarousel(component: Component): Carousel | undefined {
  const parts = listOf(component.cards).map(({ components }) => listOf(components))
  const formats = new Set(parts.map((card) => partOf(card, 'HEADER')?.format))
  const format = CARD_HEADERS.find((one) => formats.has(one))
  if (format === undefined || formats.size > 1) return undefined
  const cards = parts.map((card): FormCard | undefined => {
    const buttons = toFormButtons(listOf(partOf(card, 'BUTTONS')?.buttons))
    if (buttons?.every(({ kind }) => CARD_BUTTONS.some((one) => one === kind)) !== true) return undefined
    const body = partOf(card, 'BODY')
    const text = typeof body?.text === 'string' ? body.text : ''
    return { file: null, kept: partOf(card, 'HEADER') ?? null, body: text, buttons, examples: examplesOf('body', body) }
  })
  const known = cards.filter((card) => card !== undefined)
  return known.length === cards.length ? { format, cards: known } : undefined
}

/** In the format of the Graph API. */
export const toCarouselComponent = ({ format, cards }: Carousel): Component => ({
  type: 'CAROUSEL',
  cards: cards.map(({ file, kept, body, buttons, examples }) => ({
    components: [
      file === null && kept?.format === format ? kept : { type: 'HEADER', format },
      ...(body.trim() === '' ? [] : [{ type: 'BODY', ...withExample(examples, 'body', body.trim()) }]),
      ...(buttons.length === 0 ? [] : [{ type: 'BUTTONS', buttons: buttons.map(toButton) }]),
    ],
  })),
})

/** The files of the cards in the format of the operations. */
export const toCardMedia = ({ cards }: Carousel) =>
  cards.every(({ file }) => file === null)
    ? {}
    : { card_media: cards.map(({ file }) => (file === null ? null : { media_id: file.mediaId })) }

/** The cards with their example values, as a person would receive them. */
export const toPhoneCards = ({ format, cards }: Carousel): readonly PhoneCard[] =>
  cards.map(({ file, body, buttons, examples }) => ({
    media: { type: format === 'VIDEO' ? 'video' : 'image', url: file?.url ?? '', filename: file?.name ?? '' },
    text: filledText(body, examples),
    buttons: buttons.map(({ text }) => text || '…'),
  }))

const listOf = (value: unknown): readonly Component[] => (Array.isArray(value) ? (value as Component[]) : [])
const partOf = (components: readonly Component[], type: string) => components.find((one) => one.type === type)
