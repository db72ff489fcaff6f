import { readdirSync, readFileSync } from 'node:fs'
import type { Operation } from '../../../main/contract/operation.ts'

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly anyOf?: readonly Schema[]
}

/**
 * The window fills these in by itself, or offers only what the service accepts: a switch, a menu, an answer of the browser.
 * A refusal of one of them is a fault of the window, and not of what a person entered.
 */
const FILLED_IN = [
  ...['attempt', 'credential', 'id', 'rawId', 'response', 'clientDataJSON', 'authenticatorData', 'signature'],
  ...['userHandle', 'offer', 'qr', 'pairing_code', 'first_run', 'logout', 'gif', 'voice', 'unread', 'active'],
  ...[
    'opted_out',
    'state',
    'online',
    'enabled',
    'ignore_groups',
    'answer_over_linked_number',
    'is_primary',
    'required',
    'typing',
    'metered',
  ],
  ...['counter', 'cancel_at_period_end', 'permanent', 'sync', 'inbound', 'outbound', 'dnd', 'paused', 'backfill'],
  ...['summary_enabled', 'coach_enabled', 'receive_enabled', 'video_enabled', 'appearance', 'receipts', 'passkey'],
  ...[
    'drop_receipts',
    'duplicate_receipts',
    'view_once',
    'forwarded',
    'frequently_forwarded',
    'group',
    'referral',
    'hang',
    'from',
    'history',
    'agent',
  ],
  'calls',
]

/** Fields that only other callers send: the window calls the operation with others. */
const OF_OTHER_CALLERS: readonly string[] = ['callEngine']

/** Names of all fields that a person fills in: those of the bodies that the window sends. */
export function labelledFields(operations: readonly Operation[]): string[] {
  const folder = new URL('../../../renderer/', import.meta.url)
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|vue)$/.test(file))
    .map((file) => readFileSync(new URL(file, folder), 'utf8'))
    .join('\n')
  const called = operations.filter(({ id }) => sources.includes(`'${id}'`) && !OF_OTHER_CALLERS.includes(id))
  const names = new Set(called.flatMap(({ body }) => fieldsIn(body)))
  return [...names].filter((name) => !FILLED_IN.includes(name)).toSorted()
}

function fieldsIn(schema: Schema | undefined): string[] {
  if (schema === undefined) return []
  const { properties = {}, items, anyOf = [], additionalProperties } = schema
  const nested = typeof additionalProperties === 'object' ? [additionalProperties] : []
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [name, ...fieldsIn(field)]),
    ...[items, ...anyOf, ...nested].flatMap(fieldsIn),
  ]
}
