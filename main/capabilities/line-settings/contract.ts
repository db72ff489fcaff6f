import { Type, type Static, type TInteger } from 'typebox'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, Nullable } from '../../contract/shapes.ts'

/**
 * Limits of a number's pace settings. Slower is always safe; faster is limited, because numbers that send fast get
 * banned.
 */
const PACE_BOUNDS = {
  per_minute: { minimum: 1, maximum: 120 },
  burst: { minimum: 1, maximum: 30 },
  chat_per_minute: { minimum: 1, maximum: 60 },
  chat_burst: { minimum: 1, maximum: 15 },
  spacing_ms: { minimum: 200, maximum: 60_000 },
} as const

const PACE_WORDS = {
  per_minute: 'Messages per minute that the number sends on average.',
  burst: 'Messages it may send ahead of that pace after a pause.',
  chat_per_minute: 'The same as `per_minute` for a single chat.',
  chat_burst: 'The same as `burst` for a single chat.',
  spacing_ms: 'Shortest time in milliseconds between two messages. The actual time is random, up to twice as long.',
} as const satisfies Record<PaceField, string>

type PaceField = keyof typeof PACE_BOUNDS

const ProxyType = Type.Enum(['http', 'https', 'socks5'], {
  description: 'How the proxy is spoken to. `https` is HTTP over TLS to the proxy itself.',
})
const ProxyHost = Type.String({
  minLength: 1,
  maxLength: 253,
  pattern: '^([A-Za-z0-9._:-]+|\\[[A-Fa-f0-9.:]+\\])$',
  description:
    'Host name or IP address of the proxy. It must be public, or in a range of the setting `egress.trusted_ranges`.',
})
const ProxyPort = Type.Integer({ minimum: 1, maximum: 65_535, description: 'Port of the proxy.' })

const overPace = <T>(each: (field: PaceField) => T) =>
  Object.fromEntries(Object.keys(PACE_BOUNDS).map((field) => [field, each(field as PaceField)])) as Record<PaceField, T>

const Override = (field: PaceField) =>
  Nullable(
    Type.Integer({ ...PACE_BOUNDS[field], description: `${PACE_WORDS[field]} \`null\`: as in \`default_pace\`.` }),
  )

const LineSettings = Type.Object({
  pace: Type.Object(overPace(Override), { description: 'What differs from `default_pace` for this instance.' }),
  default_pace: Type.Object(
    overPace((field): TInteger => Type.Integer({ description: PACE_WORDS[field] })),
    { description: 'The settings `pace.*` of the service. `per_minute` 0: messages are sent as they come.' },
  ),
  online: Type.Boolean({
    description:
      'Whether contacts see the number as online while it is connected. Its phone then shows no notifications. `false` for a new instance.',
  }),
  proxy: Nullable(
    Type.Object({
      type: ProxyType,
      host: ProxyHost,
      port: ProxyPort,
      has_credentials: Type.Boolean({ description: 'Whether a user name and password are stored for it.' }),
    }),
  ),
})
export type LineSettingsView = Static<typeof LineSettings>

const Patch = Body(
  {
    pace: Type.Optional(
      Type.Object(
        overPace((field) => Type.Optional(Override(field))),
        { additionalProperties: false, description: 'The fields to change. The others stay as they are.' },
      ),
    ),
    online: Type.Optional(Type.Boolean({ description: 'Shows the number as online, or not.' })),
    proxy: Type.Optional(
      Nullable(
        Type.Object(
          {
            type: ProxyType,
            host: ProxyHost,
            port: ProxyPort,
            username: Type.Optional(
              Type.String({ minLength: 1, maxLength: 255, description: 'Stored encrypted, never returned.' }),
            ),
            password: Type.Optional(
              Type.String({ maxLength: 255, description: 'Stored encrypted, never returned. Needs `username`.' }),
            ),
          },
          {
            additionalProperties: false,
            description:
              'Replaces the proxy. Without `username` the proxy is used without a login. `null` removes the proxy.',
          },
        ),
      ),
    ),
  },
  { description: 'The fields to change. The others stay as they are.' },
)
export type LineSettingsPatch = Static<typeof Patch>

const EXAMPLE = {
  pace: { per_minute: 10, burst: 3, chat_per_minute: null, chat_burst: null, spacing_ms: 2_000 },
  default_pace: { per_minute: 30, burst: 10, chat_per_minute: 20, chat_burst: 5, spacing_ms: 500 },
  online: false,
  proxy: { type: 'socks5', host: 'proxy.example.com', port: 1080, has_credentials: true },
} as const satisfies LineSettingsView

const common = { path: '/v1/instances/{id}/line-settings', reach: 'instance', engine: 'smv2', origin: 'ours' } as const

export const lineSettingsContract = {
  getLineSettings: operation({
    ...common,
    id: 'getLineSettings',
    effects: [],
    method: 'GET',
    summary: 'Read how a number connects and sends',
    description:
      'Returns how fast this number sends, whether it is shown as online, and the proxy it connects through.',
    scope: 'instances:read',
    reply: { status: 200, description: 'The settings.', schema: LineSettings },
    errors: [],
    examples: { reply: EXAMPLE },
    tool: {
      ...{ name: 'get_line_settings', title: 'Read how a number connects and sends', idempotent: true },
      onRequest: true,
    },
  }),

  updateLineSettings: operation({
    ...common,
    id: 'updateLineSettings',
    effects: ['destination'],
    method: 'PATCH',
    summary: 'Change how a number connects and sends',
    description:
      'Takes effect immediately. A proxy is stored only after a connection to WhatsApp through it has succeeded; the ' +
      'number then connects again. It carries the connection and all files, and resolves the names of WhatsApp. If it ' +
      'fails later, the number stays disconnected until the proxy works, is replaced or is removed: the number never ' +
      'falls back to a direct connection. On the sandbox network the settings are stored and have no effect, and a proxy ' +
      'is refused.',
    scope: 'instances:write',
    waitsForEngine: true,
    body: Patch,
    reply: { status: 200, description: 'The updated settings.', schema: LineSettings },
    errors: ['validation_error', 'invalid_url', 'invalid_state', 'upstream_unavailable', 'sealed'],
    examples: {
      body: {
        pace: { per_minute: 10, burst: 3, spacing_ms: 2_000 },
        proxy: { type: 'socks5', host: 'proxy.example.com', port: 1080, username: 'line-1', password: 'example' },
      },
      reply: EXAMPLE,
    },
    // The body contains a password, and calls of assistants are recorded.
    tool: null,
  }),
} as const satisfies Contract
