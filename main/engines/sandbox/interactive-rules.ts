/** Meta's rules for interactive messages, apart from the limits of text lengths. */

type Json = Readonly<Record<string, unknown>>
type Problems = Generator<string, void>

const asRecord = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
const recordsIn = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.map(asRecord) : [])
const isWebAddress = (url: string): boolean => /^https?:\/\//.test(url) && URL.canParse(url)
const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/** @returns undefined if Meta accepts it. */
export const interactiveProblem = (interactive: Json): string | undefined =>
  problemsOf(interactive).next().value ?? undefined

function* problemsOf(interactive: Json): Problems {
  const { type } = interactive
  if (typeof type !== 'string' || !Object.hasOwn(ACTIONS, type))
    return yield* refuse('Param interactive.type is not valid.')
  const action = interactive['action']
  if (typeof action !== 'object' || action === null)
    return yield* refuse('The parameter interactive.action is required.')
  if (type !== 'product') yield* text('interactive.body.text', asRecord(interactive['body'])['text'])
  if (interactive['footer'] !== undefined)
    yield* text('interactive.footer.text', asRecord(interactive['footer'])['text'])
  yield* ofHeader(type, interactive['header'])
  yield* ACTIONS[type]?.(asRecord(action)) ?? []
}

const WITHOUT_HEADER: readonly string[] = ['product', 'location_request_message', 'request_contact_info']
const FILES: readonly unknown[] = ['image', 'video', 'document']

function* ofHeader(type: string, given: unknown): Problems {
  if (given === undefined) {
    if (type === 'product_list') yield 'The parameter interactive.header is required.'
    return
  }
  const header = asRecord(given)
  if (WITHOUT_HEADER.includes(type)) yield `interactive.header is not allowed with ${type}.`
  if (header['type'] === 'text') return yield* text('interactive.header.text', header['text'])
  const isTextOnly = type === 'list' || type === 'product_list'
  if (isTextOnly || !FILES.includes(header['type'])) return yield* refuse('Param interactive.header.type is not valid.')
  const { id, link } = asRecord(header[String(header['type'])])
  if (!isText(id) && !isText(link)) yield 'interactive.header needs a file with id or link.'
  if (isText(link) && !isWebAddress(link)) yield 'Param interactive.header.link is not a valid URL.'
}

const ACTIONS: Readonly<Record<string, (action: Json) => Problems>> = {
  *button({ buttons }) {
    const replies = recordsIn(buttons).map(({ type, reply }) => (type === 'reply' ? asRecord(reply) : {}))
    if (replies.length === 0) yield 'The parameter interactive.action.buttons is required.'
    for (const { id, title } of replies) {
      yield* text('interactive.action.buttons[].reply.id', id)
      yield* text('interactive.action.buttons[].reply.title', title)
    }
    yield* distinct(replies, 'id', 'Reply button ids')
    yield* distinct(replies, 'title', 'Reply button titles')
  },
  *list({ button, sections }) {
    yield* text('interactive.action.button', button)
    const rows = yield* rowsOf(sections, 'rows')
    for (const { id, title } of rows) {
      yield* text('interactive.action.sections[].rows[].id', id)
      yield* text('interactive.action.sections[].rows[].title', title)
    }
    yield* distinct(rows, 'id', 'Row ids')
  },
  *cta_url({ name, parameters }) {
    yield* named(name, 'cta_url')
    const { display_text: display, url } = asRecord(parameters)
    yield* text('interactive.action.parameters.display_text', display)
    if (!isText(url) || !isWebAddress(url)) yield 'Param interactive.action.parameters.url is not a valid URL.'
  },
  *location_request_message({ name }) {
    yield* named(name, 'send_location')
  },
  *request_contact_info({ name }) {
    yield* named(name, 'request_contact_info')
  },
  *address_message({ name, parameters }) {
    yield* named(name, 'address_message')
    const { country } = asRecord(parameters)
    if (country !== 'IN' && country !== 'SG')
      yield 'Param interactive.action.parameters.country must be one of {IN, SG}.'
  },
  *flow({ name, parameters }) {
    yield* named(name, 'flow')
    const { flow_message_version: version, flow_cta: button, flow_id: id, flow_name: flow } = asRecord(parameters)
    if (version !== '3') yield 'Param interactive.action.parameters.flow_message_version must be one of {3}.'
    yield* text('interactive.action.parameters.flow_cta', button)
    if (isText(id) === isText(flow)) yield 'interactive.action.parameters needs either flow_id or flow_name.'
  },
  *product({ catalog_id: catalog, product_retailer_id: product }) {
    yield* text('interactive.action.catalog_id', catalog)
    yield* text('interactive.action.product_retailer_id', product)
  },
  *product_list({ catalog_id: catalog, sections }) {
    yield* text('interactive.action.catalog_id', catalog)
    for (const { product_retailer_id: product } of yield* rowsOf(sections, 'product_items'))
      yield* text('interactive.action.sections[].product_items[].product_retailer_id', product)
  },
  // The rules for these types are not known well enough to refuse one.
  *catalog_message() {},
  *call_permission_request() {},
  *voice_call() {},
  *carousel() {},
}

function* rowsOf(given: unknown, name: 'rows' | 'product_items'): Generator<string, readonly Json[]> {
  const sections = recordsIn(given)
  if (sections.length === 0) yield 'The parameter interactive.action.sections is required.'
  for (const section of sections) {
    if (recordsIn(section[name]).length === 0) yield `The parameter interactive.action.sections[].${name} is required.`
    if (sections.length > 1) yield* text('interactive.action.sections[].title', section['title'])
  }
  return sections.flatMap((section) => recordsIn(section[name]))
}

function* refuse(problem: string): Problems {
  yield problem
}

function* text(path: string, value: unknown): Problems {
  if (!isText(value)) yield `The parameter ${path} is required.`
}

function* named(name: unknown, expected: string): Problems {
  if (name !== expected) yield `Param interactive.action.name must be one of {${expected}}.`
}

function* distinct(all: readonly Json[], field: string, what: string): Problems {
  if (new Set(all.map((each) => each[field])).size < all.length) yield `${what} must be unique.`
}
