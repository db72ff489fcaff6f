import { isForPhonesOnly, hasVariable } from './template-buttons.ts'
import { carouselOf, type TemplateForm } from './template-form.ts'
import { variablesIn } from './template-text.ts'

/** Something that Meta’s review rejects, or that a person should know before submitting. */
export interface Hint {
  readonly key: 'edge' | 'adjacent' | 'gap' | 'mixed' | 'fewWords' | 'urlEnd' | 'offer' | 'phonesOnly'
  /** For an offer, the words that mark it as one. */
  readonly words: string
  readonly isAdvice: boolean
}

/** A body needs at least this many words per variable. */
const WORDS_PER_VARIABLE = 3
/** Marketing words in the languages of this window. */
const OFFER =
  /\b\d{1,2} ?% ?(?:off|de descuento|de desconto|dto)|\b(?:discount|sale|coupon|promo(?:tion|ción|ção)?|special offer|free shipping|buy now|descuentos?|ofertas?|rebajas?|cup[oó]n|env[ií]o gratis|compre ahora|descontos?|promoções|cupom|frete gr[aá]tis|compre (?:já|agora)|black friday)(?![\p{L}\d])/giu

export function hintsOf(form: TemplateForm): readonly Hint[] {
  if (form.category === 'AUTHENTICATION') return []
  const carousel = carouselOf(form)
  if (carousel === null) return [...formatHints(form.body.trim()), ...buttonHints(form), ...categoryHints(form)]
  const bodies = [form, ...carousel.cards].map(({ body }) => body.trim())
  const hints = [
    ...bodies.filter((body, at) => at === 0 || body !== '').flatMap(formatHints),
    ...carousel.cards.flatMap(({ buttons }) => placeHints(buttons)),
  ]
  return [...new Map(hints.map((hint) => [hint.key, hint])).values()]
}

const rejects = (key: Hint['key']): Hint => ({ key, words: '', isAdvice: false })

function formatHints(body: string): Hint[] {
  const variables = variablesIn(body)
  const numbers = variables.filter((name) => /^\d+$/.test(name))
  const words = body
    .replaceAll(/\{\{[^{}]*\}\}/g, ' ')
    .split(/\s+/)
    .filter(Boolean).length
  const isMixed = numbers.length > 0 && numbers.length < variables.length
  return [
    ...(/^\{\{|\}\}$/.test(body) ? [rejects('edge')] : []),
    ...(/\}\}\s*\{\{/.test(body) ? [rejects('adjacent')] : []),
    ...(isMixed ? [rejects('mixed')] : []),
    ...(!isMixed && numbers.some((name, at) => Number(name) !== at + 1) ? [rejects('gap')] : []),
    ...(words < variables.length * WORDS_PER_VARIABLE ? [rejects('fewWords')] : []),
  ]
}

const buttonHints = ({ buttons }: TemplateForm): Hint[] => [
  ...placeHints(buttons),
  ...(isForPhonesOnly(buttons) ? [{ ...rejects('phonesOnly'), isAdvice: true }] : []),
]

function placeHints(buttons: TemplateForm['buttons']): Hint[] {
  const isMisplaced = buttons.some((button) => hasVariable(button) && !/^[^{}]*\{\{1\}\}$/.test(button.value.trim()))
  return isMisplaced ? [rejects('urlEnd')] : []
}

function categoryHints({ category, header, body, footer, buttons }: TemplateForm): Hint[] {
  if (category !== 'UTILITY') return []
  const text = [header, body, footer, ...buttons.map((button) => button.text)].join('\n')
  const found = [...new Set([...text.matchAll(OFFER)].map(([word]) => word.toLowerCase()))]
  return found.length === 0 ? [] : [{ key: 'offer', words: found.slice(0, 3).join(', '), isAdvice: true }]
}
