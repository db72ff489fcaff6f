import { ApiError } from '../../contract/errors.ts'
import type { Interactive, InteractiveType } from '../../contract/interactive.ts'
import { charactersIn, INTERACTIVE_LIMITS } from '../../contract/message-limits.ts'

/** A field that the type of message does not accept, is missing, or has the wrong form. */
export type InteractiveFault = {
  /** A path in the message: `sections[0].rows`. */
  readonly field: string
  /** What is wrong with it, after the name of the field. */
  readonly message: string
} & (
  | {
      readonly reason:
        | 'field_required'
        | 'field_unknown'
        | 'field_empty'
        | 'field_characters'
        | 'field_repeats'
        | 'url_invalid'
    }
  | { readonly reason: 'field_length_max' | 'field_items_max'; readonly limit: number }
)

type Field = Exclude<keyof Interactive, 'type'>
type Faults = Generator<InteractiveFault, void>

const TEXTS = ['header', 'footer'] as const
const WITH_FILE = [...TEXTS, 'header_media'] as const

/** The fields of each type, as Meta documents them. */
const FIELDS: Readonly<
  Record<InteractiveType, { readonly required: readonly Field[]; readonly optional: readonly Field[] }>
> = {
  button: { required: ['body', 'buttons'], optional: WITH_FILE },
  list: { required: ['body', 'button', 'sections'], optional: TEXTS },
  cta_url: { required: ['body', 'button', 'url'], optional: WITH_FILE },
  location_request_message: { required: ['body'], optional: [] },
  request_contact_info: { required: ['body'], optional: [] },
  address_message: { required: ['body', 'country'], optional: TEXTS },
  flow: { required: ['body', 'button', 'flow'], optional: TEXTS },
  product: { required: ['catalog_id', 'product_id'], optional: ['body', 'footer'] },
  product_list: { required: ['header', 'body', 'catalog_id', 'sections'], optional: ['footer'] },
}

/** Checks the fields of a message against each other. The schema has checked each one alone. */
export const interactiveFault = (message: Interactive): InteractiveFault | undefined =>
  faultsOf(message).next().value ?? undefined

/** The refusal of a message with a fault. @param at where it is in the request, such as `interactive`. */
export function interactiveRefusal(message: Interactive, at: string): ApiError | undefined {
  const fault = interactiveFault(message)
  if (fault === undefined) return undefined
  const field = `${at}.${fault.field}`
  const refusal = new ApiError('validation_error', `${field} ${fault.message}.`)
  return 'limit' in fault
    ? refusal.because(fault.reason, { field, n: fault.limit })
    : refusal.because(fault.reason, { field })
}

function* faultsOf(message: Interactive): Faults {
  const { type, body, button, buttons, url, flow } = message
  const { required, optional } = FIELDS[type]
  for (const field of required) if (message[field] === undefined) yield missing(field, `type ${type} needs it`)
  for (const field of Object.keys(message) as (keyof Interactive)[])
    if (field !== 'type' && !required.includes(field) && !optional.includes(field))
      yield { field, message: `is not allowed with type ${type}`, reason: 'field_unknown' }
  yield* ofTexts(message)
  yield* length('body', body, type === 'list' ? INTERACTIVE_LIMITS.listBody : INTERACTIVE_LIMITS.body)
  yield* length('button', button, type === 'flow' ? INTERACTIVE_LIMITS.flowButton : INTERACTIVE_LIMITS.openButton)
  const ids = buttons?.map(({ id }) => id)
  yield* unique('buttons', 'ids', ids)
  const titles = buttons?.map(({ title }) => title.trim())
  yield* unique('buttons', 'titles', titles)
  yield* ofSections(message)
  yield* webAddress('url', url)
  yield* ofHeaderMedia(message)
  if (flow !== undefined) yield* ofFlow(flow)
}

function* ofHeaderMedia({ header, header_media: media }: Interactive): Faults {
  if (media === undefined) return
  if (header !== undefined)
    yield { field: 'header', message: 'is not allowed with header_media', reason: 'field_unknown' }
  yield* webAddress('header_media.url', media.url)
  if (media.type !== 'document' && media.filename !== undefined)
    yield { field: 'header_media.filename', message: 'is for documents', reason: 'field_unknown' }
}

function* webAddress(field: string, url: string | undefined): Faults {
  if (url !== undefined && !isWebAddress(url))
    yield { field, message: 'must be an address that begins with https:// or http://', reason: 'url_invalid' }
}

function* ofTexts(message: Interactive): Faults {
  for (const [path, text] of textsOf(message)) {
    if (text.trim() === '') yield { field: path, message: 'is empty', reason: 'field_empty' }
    if (!text.isWellFormed())
      yield { field: path, message: 'contains a lone surrogate. Send well-formed Unicode', reason: 'field_characters' }
  }
}

/** Every text that the message shows or a tap returns, with its path. */
function* textsOf(value: unknown, path = ''): Generator<readonly [string, string]> {
  if (typeof value === 'string') yield [path, value]
  else if (Array.isArray(value)) for (const [i, each] of value.entries()) yield* textsOf(each, `${path}[${i}]`)
  else if (typeof value === 'object' && value !== null)
    for (const [name, each] of Object.entries(value))
      // Values for a form may be empty.
      if (!(path === 'flow' && name === 'data')) yield* textsOf(each, path === '' ? name : `${path}.${name}`)
}

function* ofSections({ type, sections = [] }: Interactive): Faults {
  const [wanted, other] = type === 'list' ? (['rows', 'product_ids'] as const) : (['product_ids', 'rows'] as const)
  for (const [i, section] of sections.entries()) {
    if (section[wanted] === undefined) yield missing(`sections[${i}].${wanted}`, `type ${type} needs it`)
    if (section[other] !== undefined)
      yield {
        ...{ field: `sections[${i}].${other}`, message: `is not allowed with type ${type}` },
        reason: 'field_unknown',
      }
    if (sections.length > 1 && section.title === undefined)
      yield missing(`sections[${i}].title`, 'it is required if there are several sections')
  }
  const rows = sections.flatMap((section) => section.rows ?? [])
  yield* entries('sections[].rows', rows.length, INTERACTIVE_LIMITS.rows)
  const ids = rows.map(({ id }) => id)
  yield* unique('sections[].rows', 'ids', ids)
  const products = sections.flatMap((section) => section.product_ids ?? [])
  yield* entries('sections[].product_ids', products.length, INTERACTIVE_LIMITS.products)
}

function* ofFlow({ id, name, action, screen, data }: NonNullable<Interactive['flow']>): Faults {
  if ((id === undefined) === (name === undefined)) yield missing('flow.id', 'give either flow.id or flow.name')
  const [field, value] = screen === undefined ? (['flow.data', data] as const) : (['flow.screen', screen] as const)
  if (value !== undefined && action === 'data_exchange')
    yield { field, message: 'is not allowed with flow.action data_exchange', reason: 'field_unknown' }
  if (data !== undefined && screen === undefined) yield missing('flow.screen', 'flow.data is for its fields')
}

const missing = (field: string, why: string): InteractiveFault => ({
  ...{ field, message: `is missing: ${why}` },
  reason: 'field_required',
})

function* length(field: string, text: string | undefined, limit: number): Faults {
  if (text !== undefined && charactersIn(text) > limit)
    yield { field, message: `must have at most ${limit} characters`, reason: 'field_length_max', limit }
}

function* entries(field: string, count: number, limit: number): Faults {
  if (count > limit) yield { field, message: `must have at most ${limit} entries`, reason: 'field_items_max', limit }
}

function* unique(field: string, what: string, values: readonly string[] = []): Faults {
  if (new Set(values).size < values.length)
    yield { field, message: `must have different ${what}`, reason: 'field_repeats' }
}

function isWebAddress(text: string): boolean {
  const { protocol } = URL.parse(text) ?? {}
  return protocol === 'https:' || protocol === 'http:'
}

/** The payload of the Cloud API. The message has no fault. */
export function interactivePayload(message: Interactive): object {
  const { type, header, header_media: media, body, footer } = message
  const interactive = {
    type,
    ...(header !== undefined && { header: { type: 'text', text: header } }),
    ...(media !== undefined && { header: fileHeader(media) }),
    ...(body !== undefined && { body: { text: body } }),
    ...(footer !== undefined && { footer: { text: footer } }),
    action: actionOf(message),
  }
  return { type: 'interactive', interactive }
}

const fileHeader = ({ type, url: link, filename }: NonNullable<Interactive['header_media']>) => ({
  type,
  [type]: { link, ...(filename !== undefined && { filename }) },
})

function actionOf(message: Interactive): object {
  const { type, buttons = [], button, sections = [], url, country, flow = {} } = message
  const { catalog_id, product_id: product_retailer_id } = message
  switch (type) {
    case 'button':
      return { buttons: buttons.map((reply) => ({ type: 'reply', reply })) }
    case 'list':
      return { button, sections }
    case 'cta_url':
      return { name: 'cta_url', parameters: { display_text: button, url } }
    case 'location_request_message':
      return { name: 'send_location' }
    case 'request_contact_info':
      return { name: 'request_contact_info' }
    case 'address_message':
      return { name: 'address_message', parameters: { country } }
    case 'flow':
      return { name: 'flow', parameters: { flow_message_version: '3', flow_cta: button, ...flowParameters(flow) } }
    case 'product':
      return { catalog_id, product_retailer_id }
    case 'product_list': {
      const listed = sections.map(({ title, product_ids = [] }) => ({
        ...(title !== undefined && { title }),
        product_items: product_ids.map((id) => ({ product_retailer_id: id })),
      }))
      return { catalog_id, sections: listed }
    }
  }
}

function flowParameters({
  id,
  name,
  token,
  action = 'navigate',
  screen,
  data,
  draft,
}: NonNullable<Interactive['flow']>) {
  return {
    ...(id === undefined ? { flow_name: name } : { flow_id: id }),
    ...(token !== undefined && { flow_token: token }),
    ...(draft === true && { mode: 'draft' }),
    flow_action: action,
    ...(screen !== undefined && { flow_action_payload: { screen, ...(data !== undefined && { data }) } }),
  }
}
