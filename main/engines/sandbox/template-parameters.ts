import { charactersIn, INTERACTIVE_LIMITS } from '../../contract/message-limits.ts'
import {
  filledText,
  lower,
  namesIn,
  parameterType as typeOf,
  recordOf,
  recordsIn,
  valuesByName,
} from '../template-text.ts'
import type { Template } from '../templates.ts'

/** Why Meta would refuse the parameters of a template message. */
export interface ParameterFault {
  readonly code: number
  /** Meta's title of the code. */
  readonly title: string
  readonly details: string
}

type Json = Readonly<Record<string, unknown>>
type Faults = Generator<ParameterFault, void, void>

const COUNT = [132_000, 'Number of parameters does not match the expected number of params'] as const
const MISSING = [131_008, 'Required parameter is missing'] as const
const TOO_LONG = [132_005, 'Translated text too long'] as const
const FORMAT = [132_012, 'Parameter format does not match format in the created template'] as const
const TEXT = [132_018, 'There’s an issue with the parameters in your template'] as const
const LONGEST_CODE = 15

/**
 * The first problem in the parameters of a template message.
 * @param content `template` of the message.
 * @param found undefined if the template is unknown: each parameter is then checked alone.
 */
export function parameterFault(content: Json, found: Template | undefined): ParameterFault | undefined {
  return faultsIn(recordsIn(content['components']), found).next().value ?? undefined
}

function* faultsIn(given: readonly Json[], found: Template | undefined): Faults {
  for (const { type, parameters } of given)
    for (const [at, parameter] of recordsIn(parameters).entries())
      yield* textFaults(parameter, `components: ${lower(type)}, parameters[${at}]`)
  for (const card of cardsIn(given)) yield* faultsIn(recordsIn(card['components']), undefined)
  if (found === undefined) return
  yield* partFaults(given, recordsIn(found.components))
  yield* cardFaults(cardsIn(given), cardsIn(recordsIn(found.components)))
}

const cardsIn = (components: readonly Json[]): Json[] =>
  recordsIn(components.find(({ type }) => lower(type) === 'carousel')?.['cards'])

/** Each card of the template has its own parameters, by its index. */
function* cardFaults(given: readonly Json[], cards: readonly Json[]): Faults {
  if (given.length !== cards.length) return yield countFault('carousel', given.length, cards.length)
  for (const [index, card] of cards.entries()) {
    const mine = given.filter((one) => one['card_index'] === index)
    const [values] = mine
    if (values === undefined || mine.length > 1)
      return yield fault(FORMAT, `carousel: expected one card with card_index ${index}`)
    for (const one of partFaults(recordsIn(values['components']), recordsIn(card['components'])))
      yield { ...one, details: `card ${index}, ${one.details}` }
  }
}

function* partFaults(given: readonly Json[], components: readonly Json[]): Faults {
  const find = (type: string) => components.find((component) => component['type'] === type)
  const of = (part: string) => recordsIn(given.find(({ type }) => lower(type) === part)?.['parameters'])
  const header = find('HEADER')
  yield* header !== undefined && header['format'] !== 'TEXT'
    ? fileFaults(String(header['format']), of('header'))
    : placesIn(header, 'header', of('header'))
  yield* placesIn(find('BODY'), 'body', of('body'))
  yield* buttonFaults(
    recordsIn(find('BUTTONS')?.['buttons']),
    given.filter(({ type }) => lower(type) === 'button'),
  )
}

/** Rules for every text parameter. */
function* textFaults(parameter: Json, at: string): Faults {
  if (typeOf(parameter) !== 'text') return
  const { text } = parameter
  if (typeof text !== 'string' || text.trim() === '')
    return yield fault(MISSING, `${at}: Parameter of type text is missing text value`)
  if (/[\n\r\t]| {5}/.test(text))
    yield fault(TEXT, `${at}: Param text cannot have new-line/tab characters or more than 4 consecutive spaces`)
}

/** A header with a file or a location needs one parameter of the same kind. */
function* fileFaults(format: string, [given, ...more]: readonly Json[]): Faults {
  const type = given === undefined ? 'UNKNOWN' : typeOf(given).toUpperCase()
  if (given === undefined || type !== format)
    return yield fault(FORMAT, `header: Format mismatch, expected ${format}, received ${type}`)
  if (more.length > 0) return yield countFault('header', more.length + 1, 1)
  const value = recordOf(given[format.toLowerCase()])
  if (format === 'LOCATION') {
    const isPlace = ['latitude', 'longitude'].every((name) => Number.isFinite(Number(value[name] ?? NaN)))
    if (!isPlace) yield fault(MISSING, 'header: location needs latitude and longitude')
  } else if (format === 'PRODUCT') {
    const isProduct = ['catalog_id', 'product_retailer_id'].every((name) => isFilled(value[name]))
    if (!isProduct) yield fault(MISSING, 'header: product needs catalog_id and product_retailer_id')
  } else if (typeof value['id'] !== 'string' && typeof value['link'] !== 'string')
    yield fault(MISSING, `header: ${format.toLowerCase()} needs id or link`)
}

/** Each variable of a text needs one parameter: numbered ones in their order, named ones by name. */
function* placesIn(component: Json | undefined, part: 'header' | 'body', given: readonly Json[]): Faults {
  const text = typeof component?.['text'] === 'string' ? component['text'] : ''
  const names = namesIn(text)
  if (given.length !== names.length) return yield countFault(part, given.length, names.length)
  const strange = given.find((parameter) => !(part === 'body' ? BODY_TYPES : ['text']).includes(typeOf(parameter)))
  if (strange !== undefined)
    return yield fault(FORMAT, `${part}: Format mismatch, expected TEXT, received ${typeOf(strange).toUpperCase()}`)
  const valueOf = valuesByName(names, given)
  const missing = names.find((name) => valueOf(name) === undefined)
  if (missing !== undefined)
    return yield fault(FORMAT, `${part}: Parameter name is missing or empty, expected ${missing}`)
  const filled = filledText(text, given)
  if (charactersIn(filled) > INTERACTIVE_LIMITS[part])
    yield fault(TOO_LONG, `${part}: the text is too long once its parameters are filled in`)
}

/** Buttons with a variable part need a parameter. */
function* buttonFaults(buttons: readonly Json[], given: readonly Json[]): Faults {
  const indexOf = ({ index }: Json) => Number(index ?? NaN)
  const stray = given.find((one) => buttons[indexOf(one)] === undefined)
  if (stray !== undefined)
    return yield fault(TEXT, `buttons: There is no button at index ${String(stray['index'])} of the template`)
  for (const [index, button] of buttons.entries()) {
    const mine = given.find((one) => indexOf(one) === index)
    const kind = SUB_TYPES[String(button['type'])]
    if (mine !== undefined && lower(mine['sub_type']) !== kind)
      return yield fault(FORMAT, `buttons: Button at index ${index} is of type ${kind ?? 'unknown'}`)
    const [value] = recordsIn(mine?.['parameters'])
    yield* valueFaults(button, index, value)
  }
}

function* valueFaults({ type, url }: Json, index: number, value: Json | undefined): Faults {
  const isUrl = type === 'URL'
  const hasPlace = isUrl && typeof url === 'string' && url.includes('{{')
  const waits = hasPlace || type === 'COPY_CODE' || type === 'MPM'
  if (waits && value === undefined)
    return yield fault(MISSING, `buttons: Button at index ${index} of type ${titleOf(type)} requires a parameter`)
  if (isUrl && !hasPlace && value !== undefined)
    return yield fault(TEXT, `buttons: Button at index ${index} of type Url does not have a parameter`)
  if (type === 'MPM') {
    const sections = recordsIn(recordOf(value?.['action'])['sections'])
    const items = sections.flatMap((section) => recordsIn(section['product_items']))
    const isWhole = items.length > 0 && items.every((item) => isFilled(item['product_retailer_id']))
    if (!isWhole) yield fault(MISSING, `buttons: Button at index ${index} of type Mpm requires sections with products`)
  }
  if (type !== 'COPY_CODE' || value === undefined) return
  const code = value['coupon_code']
  if (typeof code !== 'string' || code.trim() === '')
    return yield fault(MISSING, `buttons: Button at index ${index} of type CopyCode requires a coupon_code`)
  if (charactersIn(code) > LONGEST_CODE)
    yield fault(TEXT, `buttons: coupon_code can have ${LONGEST_CODE} characters at most`)
}

const BODY_TYPES = ['text', 'currency', 'date_time']
const SUB_TYPES: Readonly<Record<string, string>> = {
  ...{ QUICK_REPLY: 'quick_reply', URL: 'url', PHONE_NUMBER: 'phone_number', COPY_CODE: 'copy_code', FLOW: 'flow' },
  ...{ CATALOG: 'catalog', MPM: 'mpm', SPM: 'spm', VOICE_CALL: 'voice_call' },
}
const isFilled = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''
const titleOf = (type: unknown): string =>
  lower(type)
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

const fault = ([code, title]: readonly [number, string], details: string): ParameterFault => ({ code, title, details })

const countFault = (part: string, count: number, expected: number): ParameterFault =>
  fault(
    COUNT,
    `${part}: number of localizable_params (${count}) does not match the expected number of params (${expected})`,
  )
