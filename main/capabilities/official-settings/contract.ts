import { Type, type Static } from 'typebox'
import { GRAPH_VERSIONS } from '../../contract/graph-versions.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, Nullable } from '../../contract/shapes.ts'
import { CONVERSATIONAL_LIMITS as LIMITS } from '../../contract/message-limits.ts'

const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'A date in UTC.', examples: ['2027-01-21'] })
const Version = Type.String({ description: 'A version of Meta’s Graph API.', examples: ['v26.0'] })

const OfficialSettings = Type.Object({
  graph_version: Nullable(
    Type.String({
      description: 'The version of Meta’s Graph API that this number uses. `null`: that of the service.',
      examples: ['v26.0'],
    }),
  ),
  default_graph_version: Type.String({ description: 'The setting `official.graph_version` of the service.' }),
  ends_on: Nullable(
    Type.String({ description: 'When Meta ends the version in use, as a date in UTC. `null`: no date yet.' }),
  ),
  ends_soon: Type.Boolean({ description: 'The version in use has ended, or ends in the next 90 days.' }),
  graph_versions: Type.Array(Type.Object({ version: Version, ends_on: Nullable(Day) }), {
    description: 'The versions that can be set, oldest first.',
  }),
})
export type OfficialSettingsView = Static<typeof OfficialSettings>

const Patch = Body(
  {
    graph_version: Type.Optional(
      Nullable(
        Type.Enum([...GRAPH_VERSIONS], { description: 'The version to use from now on. `null`: that of the service.' }),
      ),
    ),
  },
  { description: 'The fields to change. The others stay as they are.' },
)
export type OfficialSettingsPatch = Static<typeof Patch>

const USERNAME = { pattern: '^[a-z0-9._]{3,35}$', examples: ['acme_support'] }

const status = Type.Enum(['approved', 'reserved'], {
  description: '`reserved`: nobody else can take it, but people do not see it yet. `approved`: people see it.',
})
const Username = Type.Object({
  username: Nullable(Type.String({ description: 'The username of the number; `null`: it has none.' })),
  status: Nullable(status),
  suggestions: Type.Optional(
    Type.Array(Type.String(), {
      description: 'With `include=suggestions`: usernames that Meta reserves for this business.',
    }),
  ),
})
export type UsernameView = Static<typeof Username>

const UsernameQuery = Type.Object({
  include: Type.Optional(Type.Enum(['suggestions'], { description: 'What else the answer has.' })),
})
export type UsernameQuery = Static<typeof UsernameQuery>

const UsernameBody = Body({
  username: Type.String({
    ...USERNAME,
    description:
      'Lower-case letters a to z, digits, periods and underscores, with at least one letter. No period at the beginning or end or next to another one, no `www` at the beginning, and no ending of a domain such as `.com`.',
  }),
  transfer: Type.Optional(
    Type.Boolean({
      description:
        'Takes the username from another number of the same portfolio. Refused for a key that reaches only some ' +
        'instances, and if numbers of other accounts are in the portfolio. Default: `false`.',
    }),
  ),
})
export type UsernameBody = Static<typeof UsernameBody>

const ConversationalComponents = Body(
  {
    ice_breakers: Type.Array(Type.String({ minLength: 1, maxLength: LIMITS.iceBreaker }), {
      maxItems: LIMITS.iceBreakers,
      description: 'Questions that people see when they open the chat for the first time.',
    }),
    commands: Type.Array(
      Type.Object(
        {
          name: Type.String({
            ...{ minLength: 1, maxLength: LIMITS.commandName, examples: ['hours'] },
            description: 'What follows the slash.',
          }),
          hint: Type.String({
            ...{ minLength: 1, maxLength: LIMITS.commandHint, examples: ['When we are open'] },
            description: 'What people read beside it.',
          }),
        },
        { additionalProperties: false },
      ),
      { maxItems: LIMITS.commands, description: 'What people are offered when they type a slash. Each name once.' },
    ),
  },
  { description: 'Neither can have emojis. What somebody chooses arrives as a text.' },
)
export type ConversationalBody = Static<typeof ConversationalComponents>

const common = { reach: 'instance', engine: 'official', origin: 'ours', waitsForEngine: true } as const
const SETTINGS = '/v1/instances/{id}/official-settings'
const COMPONENTS = '/v1/instances/{id}/conversational-components'
const USERNAME_PATH = '/v1/instances/{id}/username'
const ASKING = [
  ...(['not_ready', 'invalid_state', 'upstream_unavailable', 'upstream_timeout', 'service_unavailable'] as const),
] as const

const EXAMPLE = {
  graph_version: 'v26.0',
  default_graph_version: 'v25.0',
  ends_on: null,
  ends_soon: false,
  graph_versions: [
    { version: 'v25.0', ends_on: null },
    { version: 'v26.0', ends_on: null },
  ],
} as const satisfies OfficialSettingsView
const RESERVED = { username: 'acme_support', status: 'reserved' } as const satisfies UsernameView

const COMPONENTS_EXAMPLE = {
  ice_breakers: ['When are you open?', 'Where is my order?'],
  commands: [{ name: 'hours', hint: 'When we are open' }],
} as const satisfies ConversationalBody

/**
 * Settings of an official number: the version of Meta's API, the username, and the suggestions that WhatsApp shows to
 * people.
 */
export const officialSettingsContract = {
  getOfficialSettings: operation({
    ...common,
    id: 'getOfficialSettings',
    effects: [],
    method: 'GET',
    path: SETTINGS,
    summary: 'Read which version of Meta’s API a number uses',
    description:
      'Returns the version of Meta’s Graph API that this number uses, when Meta ends it, and the versions that can be set.',
    scope: 'instances:read',
    reply: { status: 200, description: 'The settings.', schema: OfficialSettings },
    errors: [],
    examples: { reply: EXAMPLE },
    tool: {
      ...{ name: 'get_official_settings', title: 'Read which version of Meta’s API a number uses', idempotent: true },
      onRequest: true,
    },
  }),

  updateOfficialSettings: operation({
    ...common,
    id: 'updateOfficialSettings',
    effects: ['connection'],
    method: 'PATCH',
    path: SETTINGS,
    summary: 'Change which version of Meta’s API a number uses',
    description:
      'Use it to try a version with one number before the service changes to it. Meta is asked about the number in this ' +
      'version first: if it refuses, nothing is changed. All calls of the number to Meta use the version from then on. ' +
      'A sandbox instance makes no calls to Meta, so only `null` is accepted.',
    scope: 'instances:write',
    body: Patch,
    reply: { status: 200, description: 'The updated settings.', schema: OfficialSettings },
    errors: ['validation_error', ...ASKING],
    examples: { body: { graph_version: 'v26.0' }, reply: EXAMPLE },
    tool: {
      ...{ name: 'update_official_settings', title: 'Change which version of Meta’s API a number uses' },
      ...{ idempotent: true, onRequest: true },
    },
  }),

  getUsername: operation({
    ...common,
    id: 'getUsername',
    effects: [],
    method: 'GET',
    path: USERNAME_PATH,
    summary: 'Get the username of a number',
    description: 'The username by which people find the business in WhatsApp, as Meta has it now.',
    scope: 'instances:read',
    query: UsernameQuery,
    reply: { status: 200, description: 'The username.', schema: Username },
    errors: ASKING,
    examples: { reply: RESERVED },
    tool: { name: 'get_username', title: 'Get the username of a number', onRequest: true, idempotent: true },
  }),

  setUsername: operation({
    ...common,
    id: 'setUsername',
    effects: { by: ['transfer'], effects: { true: ['people_later', 'removal'] }, otherwise: ['people_later'] },
    method: 'PUT',
    path: USERNAME_PATH,
    summary: 'Set the username of a number',
    description:
      'Requests a username at Meta, in place of the one the number has. Meta refuses one that is taken (147001), that ' +
      'the account may not have (147002), that needs its Facebook Page or Instagram account linked first (147003, ' +
      '147004), or that another number of the portfolio has (147005): 409 `invalid_state` says which. The phone number ' +
      'stays visible to people.',
    scope: 'instances:write',
    body: UsernameBody,
    reply: { status: 200, description: 'The username, which may still be reserved.', schema: Username },
    errors: ['validation_error', 'key_restricted', ...ASKING],
    examples: { body: { username: 'acme_support' }, reply: RESERVED },
    tool: { name: 'set_username', title: 'Set the username of a number', onRequest: true, idempotent: true },
  }),

  deleteUsername: operation({
    ...common,
    id: 'deleteUsername',
    effects: ['removal'],
    method: 'DELETE',
    path: USERNAME_PATH,
    summary: 'Delete the username of a number',
    description:
      'People no longer find the number by its username, and others can take it. A number without one stays as it is.',
    scope: 'instances:write',
    reply: { status: 204, description: 'The number has no username.', schema: null },
    errors: ASKING,
    examples: {},
    tool: { name: 'delete_username', title: 'Delete the username of a number', onRequest: true, idempotent: true },
  }),

  getConversationalComponents: operation({
    ...common,
    id: 'getConversationalComponents',
    effects: [],
    method: 'GET',
    path: COMPONENTS,
    summary: 'Get the ice breakers and commands of a number',
    description: 'What WhatsApp offers people to write in a chat with this number, as Meta has it now.',
    scope: 'instances:read',
    reply: { status: 200, description: 'The ice breakers and commands.', schema: ConversationalComponents },
    errors: ASKING,
    examples: { reply: COMPONENTS_EXAMPLE },
    tool: {
      ...{ name: 'get_conversational_components', title: 'Get the ice breakers and commands of a number' },
      ...{ idempotent: true, onRequest: true },
    },
  }),

  setConversationalComponents: operation({
    ...common,
    id: 'setConversationalComponents',
    effects: ['people_later'],
    method: 'PUT',
    path: COMPONENTS,
    summary: 'Set the ice breakers and commands of a number',
    description:
      'Replaces all of them. Empty lists remove them. People see the change in chats with this number within minutes.',
    scope: 'instances:write',
    body: ConversationalComponents,
    reply: { status: 200, description: 'The ice breakers and commands.', schema: ConversationalComponents },
    errors: ['validation_error', ...ASKING],
    examples: { body: COMPONENTS_EXAMPLE, reply: COMPONENTS_EXAMPLE },
    tool: {
      ...{ name: 'set_conversational_components', title: 'Set the ice breakers and commands of a number' },
      ...{ idempotent: true, onRequest: true },
    },
  }),
} as const satisfies Contract
