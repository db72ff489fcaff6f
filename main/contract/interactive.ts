import { Type, type Static } from 'typebox'
import { LIMITS } from './limits.ts'
import { INTERACTIVE_LIMITS } from './message-limits.ts'

/** Messages with buttons, lists and forms, which the engine `official` sends. `type` is Meta's own name. */
const INTERACTIVE_TYPES = [
  'button',
  'list',
  'cta_url',
  'location_request_message',
  'request_contact_info',
  'address_message',
  'flow',
  'product',
  'product_list',
] as const
export type InteractiveType = (typeof INTERACTIVE_TYPES)[number]

const {
  button,
  buttonId,
  buttons,
  flowButton,
  footer,
  header,
  listBody,
  products,
  row,
  rowDescription,
  rowId,
  rows,
  section,
  sections,
} = INTERACTIVE_LIMITS

const words = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, ...(description !== undefined && { description }) })

/** An id of Meta's catalogs and flows. */
const MetaId = words(100)

const Row = Type.Object(
  {
    id: words(rowId, 'Comes back as `content.id` when somebody selects the row.'),
    title: words(row),
    description: Type.Optional(words(rowDescription)),
  },
  { additionalProperties: false },
)

const Section = Type.Object(
  {
    title: Type.Optional(words(section, 'Required if there are several sections.')),
    rows: Type.Optional(Type.Array(Row, { minItems: 1, maxItems: rows, description: 'Of `list`.' })),
    product_ids: Type.Optional(
      Type.Array(MetaId, { minItems: 1, maxItems: products, description: 'Of `product_list`.' }),
    ),
  },
  { additionalProperties: false },
)

const Flow = Type.Object(
  {
    id: Type.Optional(MetaId),
    name: Type.Optional(words(200)),
    token: Type.Optional(words(200, 'Comes back as `content.id`.')),
    action: Type.Optional(Type.Enum(['navigate', 'data_exchange'], { default: 'navigate' })),
    screen: Type.Optional(words(200, 'The first screen, with `navigate`.')),
    data: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: 'Values for the first screen, with `screen`.' }),
    ),
    draft: Type.Optional(Type.Boolean({ default: false, description: '`true`: a flow that is not published yet.' })),
  },
  { additionalProperties: false, description: 'A flow of the WhatsApp account: `id` or `name`.' },
)

const HeaderMedia = Type.Object(
  {
    type: Type.Enum(['image', 'video', 'document']),
    url: words(LIMITS.mediaUrlLength, 'Meta fetches the file from it.'),
    filename: Type.Optional(words(LIMITS.filenameLength, 'Of `document`.')),
  },
  { additionalProperties: false, description: 'Of `button` and `cta_url`: a file in place of `header`.' },
)

export const Interactive = Type.Object(
  {
    type: Type.Enum([...INTERACTIVE_TYPES], {
      description:
        '`button`: up to 3 reply buttons. `list`: a menu of up to 10 rows. `cta_url`: a button that opens a link. ' +
        '`location_request_message`, `address_message`: ask for a place, or for an address (India and Singapore). ' +
        '`request_contact_info`: asks for the phone number of a person who hides it. ' +
        '`flow`: a form. `product`, `product_list`: of a catalog.',
    }),
    header: Type.Optional(
      words(
        header,
        'Required by `product_list`. `product`, `location_request_message` and `request_contact_info` have none.',
      ),
    ),
    header_media: Type.Optional(HeaderMedia),
    body: Type.Optional(
      words(listBody, `Required, except by \`product\`. ${INTERACTIVE_LIMITS.body} characters, of a list ${listBody}.`),
    ),
    footer: Type.Optional(words(footer, '`location_request_message` and `request_contact_info` have none.')),
    buttons: Type.Optional(
      Type.Array(
        Type.Object(
          { id: words(buttonId, 'Comes back as `content.id` when somebody taps the button.'), title: words(button) },
          { additionalProperties: false },
        ),
        { minItems: 1, maxItems: buttons, description: 'Of `button`. Ids and titles must be unique.' },
      ),
    ),
    button: Type.Optional(
      words(flowButton, `The button of \`list\`, \`cta_url\` (${button} characters) and \`flow\` (${flowButton}).`),
    ),
    sections: Type.Optional(
      Type.Array(Section, {
        minItems: 1,
        maxItems: sections,
        description: `Of \`list\`, with up to ${rows} rows in all, and \`product_list\`, with up to ${products} products in all.`,
      }),
    ),
    url: Type.Optional(words(LIMITS.mediaUrlLength, 'Of `cta_url`: what the button opens.')),
    country: Type.Optional(
      Type.String({ pattern: '^[A-Z]{2}$', description: 'Of `address_message`: `IN` or `SG`.', examples: ['IN'] }),
    ),
    flow: Type.Optional(Flow),
    catalog_id: Type.Optional(words(100, 'Of `product` and `product_list`.')),
    product_id: Type.Optional(words(100, 'Of `product`: its content id in the catalog.')),
  },
  {
    additionalProperties: false,
    description:
      'Engine `official` only: a message with buttons, a list or a form. What somebody taps comes back as ' +
      '`message.received` with `content`. On smv2: 400 `engine_mismatch`.',
  },
)
export type Interactive = Static<typeof Interactive>
