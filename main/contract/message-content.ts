import { Type, type Static, type TProperties } from 'typebox'
import { Nullable, Timestamp } from './shapes.ts'

/**
 * The content of a message besides its text, with the field names of the API: engines create it, and it is stored and
 * sent unchanged.
 */

const Text = Nullable(Type.String())

const kind = <K extends string, T extends TProperties>(type: K, properties: T, description: string) =>
  Type.Object({ type: Type.Literal(type), ...properties }, { description })

const Money = Type.Object({
  amount: Type.Number({ description: 'In the main unit of the currency, for example 12.5.' }),
  currency: Type.String({ description: 'ISO 4217, for example `USD`.' }),
})

const Contact = Type.Object({
  name: Type.String(),
  numbers: Type.Array(Type.String(), { description: 'As written on the card, without spaces and punctuation.' }),
  vcard: Nullable(Type.String({ description: '`null` on the engine `official`, which does not send one.' })),
})

const Choice = Type.Object({ id: Type.String(), title: Type.String() })

const File = Type.Object(
  { type: Type.String(), url: Text, filename: Text },
  { description: 'The file above the text. `url` is `null` for a file that was uploaded to Meta.' },
)

const Card = Type.Object({
  header_media: Type.Optional(File),
  text: Text,
  button: Nullable(Type.String({ description: 'The button that opens something.' })),
  buttons: Type.Array(Choice, { description: 'Reply buttons.' }),
  url: Nullable(Type.String({ description: 'What the button opens.' })),
})

const TemplateButton = Type.Object({
  type: Type.String({
    description: 'In Meta’s words, in small letters: `quick_reply`, `url`, `phone_number` and so on.',
  }),
  title: Type.String(),
  id: Nullable(Type.String({ description: 'What a quick reply sends back.' })),
  url: Text,
})

/** The shown parts of a template besides its body. */
const ShownTemplate = Type.Object(
  {
    header: Text,
    header_media: Type.Optional(File),
    footer: Text,
    buttons: Type.Array(TemplateButton),
    cards: Type.Optional(
      Type.Array(Type.Object({ header_media: Type.Optional(File), text: Text, buttons: Type.Array(TemplateButton) }), {
        description: 'Of a carousel, in their order.',
      }),
    ),
  },
  {
    description:
      'What the person saw, with the values filled in. The body is `text`. Absent if the words of the template were not known here when it was sent.',
  },
)

const OrderItem = Type.Object({
  product_id: Type.String(),
  quantity: Type.Integer(),
  price: Nullable(Money),
})

const UNAVAILABLE_REASONS = ['undecryptable', 'view_once', 'file_missing', 'unsupported', 'malformed'] as const

export const MessageContent = Type.Union(
  [
    kind(
      'location',
      {
        latitude: Type.Number(),
        longitude: Type.Number(),
        name: Text,
        address: Text,
        url: Text,
        live: Type.Boolean({ description: 'Whether the sender shares a position that moves.' }),
      },
      'A place.',
    ),
    kind('contacts', { contacts: Type.Array(Contact) }, 'One or more contact cards.'),
    kind(
      'interactive',
      {
        kind: Type.String({
          description:
            'In Meta’s words: `button`, `list`, `cta_url`, `location_request_message`, `flow` and so on. `template` on sandbox phones.',
        }),
        header: Text,
        header_media: Type.Optional(File),
        footer: Text,
        button: Nullable(Type.String({ description: 'The button that opens a list, a link or a form.' })),
        buttons: Type.Array(Choice, { description: 'Reply buttons.' }),
        sections: Type.Array(
          Type.Object({
            title: Text,
            rows: Type.Array(Type.Object({ ...Choice.properties, description: Text })),
            product_ids: Type.Array(Type.String()),
          }),
          { description: 'Of a list of choices or products.' },
        ),
        url: Nullable(Type.String({ description: 'What the button opens.' })),
        cards: Type.Optional(Type.Array(Card, { description: 'Of a carousel, in their order.' })),
      },
      'A message with buttons, a list or a form. Its body is `text`.',
    ),
    kind(
      'template',
      {
        name: Type.String(),
        language: Type.String(),
        components: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
          description: 'The values it was sent with, in Graph’s own format. One-time codes are hidden.',
        }),
        shown: Type.Optional(ShownTemplate),
      },
      'A template that was sent.',
    ),
    kind('button_reply', { id: Text, title: Type.String() }, 'A button that somebody selected.'),
    kind('list_reply', { id: Text, title: Type.String(), description: Text }, 'A list row that somebody selected.'),
    kind(
      'flow_reply',
      {
        id: Text,
        title: Type.String(),
        name: Text,
        response: Nullable(
          Type.Record(Type.String(), Type.Unknown(), { description: 'What the form was filled with.' }),
        ),
      },
      'A native flow or form that somebody completed.',
    ),
    kind(
      'poll',
      {
        question: Type.String(),
        options: Type.Array(Type.String()),
        max_choices: Nullable(Type.Integer({ description: '`null`: as many as there are options.' })),
      },
      'A poll. `GET …/polls/{message_id}` has its votes.',
    ),
    kind(
      'poll_vote',
      {
        poll_message_id: Type.String({ description: '`message_id` of the poll.' }),
        options: Type.Array(Type.String(), { description: 'All options chosen now. Empty if the vote was removed.' }),
      },
      'A vote in a poll. It replaces the earlier vote of the same person.',
    ),
    kind(
      'poll_result',
      {
        question: Type.String(),
        options: Type.Array(Type.Object({ text: Type.String(), votes: Type.Integer() })),
      },
      'The result of a poll, shared as a message.',
    ),
    kind(
      'order',
      {
        order_id: Text,
        title: Text,
        catalog_id: Text,
        item_count: Nullable(Type.Integer()),
        total: Nullable(Money),
        items: Type.Array(OrderItem, { description: 'Empty on the engine `smv2`, whose messages do not list them.' }),
      },
      'An order from a catalog.',
    ),
    kind(
      'product',
      {
        product_id: Text,
        retailer_id: Text,
        title: Text,
        description: Text,
        price: Nullable(Money),
        url: Text,
        business: Nullable(Type.String({ description: 'The number of the business that sells it.' })),
      },
      'A product from a catalog.',
    ),
    kind(
      'payment',
      {
        action: Type.Enum(['request', 'sent', 'declined', 'cancelled', 'invite', 'invoice']),
        amount: Nullable(Money),
        note: Text,
        expires_at: Nullable(Timestamp),
      },
      'A payment in short. Its details are only on the phone.',
    ),
    kind('link', { url: Type.String(), title: Text, description: Text }, 'The preview card of a link in the text.'),
    kind(
      'event',
      {
        name: Type.String(),
        description: Text,
        starts_at: Nullable(Timestamp),
        ends_at: Nullable(Timestamp),
        place: Text,
        join_url: Text,
        canceled: Type.Boolean(),
      },
      'An invitation to an event or a scheduled call.',
    ),
    kind(
      'group_invite',
      {
        group_id: Type.String(),
        name: Text,
        community: Type.Boolean({ description: 'Whether it is a community rather than a group.' }),
        invite_code: Text,
        expires_at: Nullable(Timestamp),
      },
      'An invitation to a group or a community.',
    ),
    kind(
      'channel_invite',
      {
        channel_id: Type.String(),
        name: Text,
        role: Type.Enum(['follower', 'admin']),
        expires_at: Nullable(Timestamp),
      },
      'An invitation to follow or to administer a channel.',
    ),
    kind(
      'unavailable',
      {
        reason: Type.Enum([...UNAVAILABLE_REASONS], {
          description:
            '`undecryptable`: it could not be decrypted, and the sender’s phone did not send it again. `view_once`: it ' +
            'can only be viewed on the phone. `file_missing`: it does not say where its file is. `unsupported`: a kind ' +
            'of message this version cannot read. `malformed`: it is damaged.',
        }),
        kind: Nullable(Type.String({ description: 'The network’s own name of the kind of message, if known.' })),
      },
      'A message that arrived and cannot be read here.',
    ),
  ],
  { description: 'What the message contains besides text and file. `type` says which fields it has.' },
)
export type MessageContent = Static<typeof MessageContent>
export type UnavailableReason = (typeof UNAVAILABLE_REASONS)[number]

/** Fields of every record of a message and of `message.received`. */
export const contentFields = {
  content: Nullable(MessageContent),
  view_once: Type.Boolean({ description: 'Whether it was sent to be viewed once.' }),
  forwarded: Type.Boolean({ description: 'Whether it was forwarded from another chat.' }),
  frequently_forwarded: Type.Boolean({
    description: 'Whether it was forwarded many times: through a chain of five chats or more.',
  }),
}
