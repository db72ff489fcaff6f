import { CARD_LIMITS, charactersIn } from '../../contract/message-limits.ts'
import { buttonsRefusal } from './template-buttons.ts'
import { recordsIn } from '../template-text.ts'

type Json = Readonly<Record<string, unknown>>

const BUTTONS = ['QUICK_REPLY', 'URL', 'PHONE_NUMBER']
const PARTS = ['HEADER', 'BODY', 'BUTTONS']

interface CarouselDeps {
  /** Why the text of a body is refused. */
  readonly textRefusal: (component: Json) => string | undefined
}

/** Why Meta would refuse the cards of a template, in Meta's words; undefined if it would not. */
export function carouselRefusal(
  { cards: given }: Json,
  others: readonly Json[],
  category: string,
  { textRefusal }: CarouselDeps,
): string | undefined {
  if (category !== 'MARKETING') return 'A template with a component of type CAROUSEL must be of category MARKETING.'
  const stray = others.find(({ type }) => type !== 'BODY' && type !== 'CAROUSEL')
  if (stray !== undefined) return `A template with a CAROUSEL cannot have a component of type ${String(stray['type'])}.`
  const cards = recordsIn(given)
  if (cards.length < CARD_LIMITS.least || cards.length > CARD_LIMITS.most)
    return `A CAROUSEL has between ${CARD_LIMITS.least} and ${CARD_LIMITS.most} cards.`
  for (const [at, card] of cards.entries()) {
    const refusal = cardRefusal(recordsIn(card['components']), textRefusal)
    if (refusal !== undefined) return `Card ${at + 1}: ${refusal}`
  }
  const [first, ...more] = cards.map(shapeOf)
  return more.every((shape) => shape === first) ? undefined : 'All cards must have the same components.'
}

function cardRefusal(components: readonly Json[], textRefusal: CarouselDeps['textRefusal']): string | undefined {
  const of = (type: string) => components.filter((component) => component['type'] === type)
  const unknown = components.find(({ type }) => !PARTS.includes(String(type)))
  if (unknown !== undefined) return `component type ${String(unknown['type'])} is not valid.`
  const double = PARTS.find((type) => of(type).length > 1)
  if (double !== undefined) return `it has at most one component of type ${double}.`
  const [[header], [body], [buttons]] = [of('HEADER'), of('BODY'), of('BUTTONS')]
  return headerRefusal(header) ?? (body && bodyRefusal(body, textRefusal)) ?? (buttons && cardButtonsRefusal(buttons))
}

function headerRefusal(header: Json | undefined): string | undefined {
  const format = header?.['format']
  if (format !== 'IMAGE' && format !== 'VIDEO') return 'it needs a header of format IMAGE or VIDEO.'
  const handles = (header?.['example'] as Json | undefined)?.['header_handle']
  return Array.isArray(handles) && handles.length === 1
    ? undefined
    : 'its header needs a sample: example.header_handle.'
}

function bodyRefusal(body: Json, textRefusal: CarouselDeps['textRefusal']): string | undefined {
  const text = typeof body['text'] === 'string' ? body['text'] : ''
  if (charactersIn(text) > CARD_LIMITS.body) return `its body can have ${CARD_LIMITS.body} characters at most.`
  if (text.split('\n').length - 1 > CARD_LIMITS.lineBreaks)
    return `its body can have ${CARD_LIMITS.lineBreaks} line breaks at most.`
  return textRefusal(body)
}

function cardButtonsRefusal(component: Json): string | undefined {
  const buttons = recordsIn(component['buttons'])
  if (buttons.length > CARD_LIMITS.buttons) return `it has at most ${CARD_LIMITS.buttons} buttons.`
  const strange = buttons.find(({ type }) => !BUTTONS.includes(String(type)))
  return strange === undefined ? buttonsRefusal(component) : `button type ${String(strange['type'])} is not valid here.`
}

/** The components of a card, which must be the same for all cards. */
const shapeOf = (card: Json): string => {
  const components = recordsIn(card['components'])
  const of = (type: string) => components.find((component) => component['type'] === type)
  const kinds = recordsIn(of('BUTTONS')?.['buttons']).map(({ type }) => type)
  return JSON.stringify([of('HEADER')?.['format'], of('BODY') !== undefined, kinds])
}
