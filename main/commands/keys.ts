import { APPROVAL_POLICIES } from '../contract/approval.ts'
import { isAcceptedScope, ACCEPTED_SCOPES, SCOPES } from '../contract/scopes.ts'
import type { ControlRequest } from '../faces/control.ts'
import { JSON_OPTION, parseArguments } from './arguments.ts'
import { CommandError, type Terminal } from './terminal.ts'

export const KEYS_USAGE = `Usage: npm run keys -- create --name NAME [--scopes a,b|all] [--instances id,id]
                              [--ask destructive|sending] [--json]
       npm run keys -- list [--json]
       npm run keys -- revoke ID`

interface KeyRow {
  id: string
  name: string
  last4: string
  scopes: string[]
  allowed_instance_ids: string[] | null
  /** Absent if an older service version answers. */
  approval?: string
  last_used_at: string | null
  expires_at: string | null
  revoked_at: string | null
}

/**
 * `keys create|list|revoke`.
 * @param carryOut calls the running service, or opens the home folder if none is running.
 */
export async function keysCommand(
  argv: readonly string[],
  carryOut: (request: ControlRequest) => Promise<unknown>,
  terminal: Terminal,
): Promise<void> {
  const flags = parse(argv)
  const [action, ...more] = flags.words
  if (action === 'revoke') return revoke(more, flags.json, carryOut, terminal)
  if (action !== 'create' && action !== 'list') throw new CommandError(KEYS_USAGE)
  if (more.length > 0) throw new CommandError(`Unknown argument: ${more.join(' ')}.\n${KEYS_USAGE}`)
  if (action === 'create') return create(flags, carryOut, terminal)
  return list(flags.json, carryOut, terminal)
}

const OPTIONS = {
  ...JSON_OPTION,
  name: { type: 'string' },
  scopes: { type: 'string' },
  instances: { type: 'string' },
  ask: { type: 'string' },
} as const

const parse = (argv: readonly string[]) =>
  parseArguments(argv, { usage: KEYS_USAGE, options: OPTIONS, words: Infinity })

interface MadeKey {
  id: string
  key: string
  name: string
  scopes: string[]
  allowed_instance_ids: string[] | null
}

async function create(
  { name, scopes = 'all', instances, ask, json }: ReturnType<typeof parse>,
  carryOut: (request: ControlRequest) => Promise<unknown>,
  terminal: Terminal,
): Promise<void> {
  if (name === undefined || name.trim() === '')
    throw new CommandError(`Give the key a name with --name.\n${KEYS_USAGE}`)
  const input = { name, scopes: scopesOf(scopes), allowed_instance_ids: instancesOf(instances), ...approvalOf(ask) }
  // Every version of the service answers this command in this shape.
  const made = (await carryOut({ command: 'keys.create', input })) as MadeKey
  if (json) return terminal.out(JSON.stringify(made))
  terminal.out(made.key)
  terminal.err(
    `Key “${made.name}” (${made.id}) created. It won't be shown again. Store it safely, and never put it in a web page.`,
  )
}

const words = (list: string) => [...new Set(list.split(',').map((word) => word.trim()))].filter((word) => word !== '')

const THE_SCOPES = `Scopes: ${ACCEPTED_SCOPES.join(', ')}.`

function scopesOf(list: string): string[] {
  if (list.trim() === 'all') return [...SCOPES]
  const scopes = words(list)
  if (scopes.length === 0) throw new CommandError(`--scopes is empty. ${THE_SCOPES}`)
  const unknown = scopes.filter((word) => !isAcceptedScope(word))
  if (unknown.length > 0) throw new CommandError(`Unknown scope: ${unknown.join(', ')}. ${THE_SCOPES}`)
  return scopes
}

function instancesOf(list: string | undefined): string[] | null {
  if (list === undefined) return null
  const ids = words(list)
  // An empty variable in a script must not create a key with access to everything.
  if (ids.length === 0) throw new CommandError('--instances is empty. Omit it to give the key access to all instances.')
  return ids
}

/** Omitted if not given: an older running service does not know this field. */
function approvalOf(word: string | undefined): { approval?: string } {
  if (word === undefined) return {}
  if ((APPROVAL_POLICIES as readonly string[]).includes(word)) return { approval: word }
  throw new CommandError(`--ask must be none, destructive or sending, not ${word}.`)
}

async function list(
  json: boolean,
  carryOut: (request: ControlRequest) => Promise<unknown>,
  terminal: Terminal,
): Promise<void> {
  const { data } = (await carryOut({ command: 'keys.list', input: {} })) as { data: KeyRow[] }
  if (json) return terminal.out(JSON.stringify({ data }))
  if (data.length === 0) return terminal.out('No keys yet. Create one with: npm run keys -- create --name NAME')
  for (const key of data) terminal.out(described(key))
}

function described({ id, last4, name, scopes, allowed_instance_ids: ids, ...key }: KeyRow): string {
  const reach = ids === null ? 'all instances' : `${ids.length} ${ids.length === 1 ? 'instance' : 'instances'}`
  const state = key.revoked_at === null ? `last used ${key.last_used_at ?? 'never'}` : `revoked ${key.revoked_at}`
  const may = scopes.length === SCOPES.length ? 'all scopes' : scopes.join(' ')
  const asks = key.approval === undefined || key.approval === 'none' ? '' : `; approval required: ${key.approval}`
  return `${id}  …${last4}  ${name}  (${reach}${asks}; ${state})\n    ${may}`
}

async function revoke(
  [id, ...more]: readonly string[],
  json: boolean,
  carryOut: (request: ControlRequest) => Promise<unknown>,
  terminal: Terminal,
): Promise<void> {
  if (id === undefined || more.length > 0)
    throw new CommandError(`Give the ID of one key. To see them, run: npm run keys -- list\n${KEYS_USAGE}`)
  await carryOut({ command: 'keys.revoke', input: { id } })
  terminal.out(json ? JSON.stringify({ id, revoked: true }) : `Key ${id} revoked. It no longer works.`)
}
