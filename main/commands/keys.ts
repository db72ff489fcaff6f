import { parseArgs } from 'node:util'
import { isScopeWord, SCOPE_WORDS, SCOPES } from '../contract/scopes.ts'
import type { ControlRequest } from '../faces/control.ts'
import { CommandError, type Terminal } from './terminal.ts'

const USAGE = `Usage: npm run keys -- create --name NAME [--scopes a,b|all] [--instances id,id] [--json]
       npm run keys -- list [--json]
       npm run keys -- revoke ID`

interface KeyRow {
  id: string
  name: string
  last4: string
  scopes: string[]
  allowed_instance_ids: string[] | null
  last_used_at: string | null
  expires_at: string | null
  revoked_at: string | null
}

/**
 * `keys create|list|revoke`.
 * @param carryOut reaches the running service, or opens the home folder itself when none runs.
 */
export async function keysCommand(
  argv: readonly string[],
  carryOut: (request: ControlRequest) => Promise<unknown>,
  terminal: Terminal,
): Promise<void> {
  const { positionals, values } = parse(argv)
  const [action, id] = positionals
  if (action === 'create') return create(values, carryOut, terminal)
  if (action === 'list') return list(values.json, carryOut, terminal)
  if (action === 'revoke' && id !== undefined) {
    await carryOut({ command: 'keys.revoke', input: { id } })
    return terminal.out(
      values.json ? JSON.stringify({ id, revoked: true }) : `Key ${id} is revoked; it stopped working at once.`,
    )
  }
  throw new CommandError(USAGE)
}

interface Flags {
  name: string | undefined
  scopes: string | undefined
  instances: string | undefined
  json: boolean
}

function parse(argv: readonly string[]): { positionals: string[]; values: Flags } {
  try {
    const { positionals, values } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        name: { type: 'string' },
        scopes: { type: 'string' },
        instances: { type: 'string' },
        json: { type: 'boolean', default: false },
        home: { type: 'string' },
      },
    })
    return {
      positionals,
      values: { name: values.name, scopes: values.scopes, instances: values.instances, json: values.json },
    }
  } catch (error) {
    throw new CommandError(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`)
  }
}

async function create(
  flags: Flags,
  carryOut: (request: ControlRequest) => Promise<unknown>,
  terminal: Terminal,
): Promise<void> {
  if (flags.name === undefined) throw new CommandError(`A key needs a name.\n${USAGE}`)
  const input = {
    name: flags.name,
    scopes: scopesOf(flags.scopes ?? 'all'),
    allowed_instance_ids: flags.instances === undefined ? null : words(flags.instances),
  }
  const made = (await carryOut({ command: 'keys.create', input })) as {
    id: string
    key: string
    name: string
    scopes: string[]
    allowed_instance_ids: string[] | null
  }
  if (flags.json) return terminal.out(JSON.stringify(made))
  terminal.out(made.key)
  terminal.err(
    `Key “${made.name}” (${made.id}) is made. It is shown only now: keep it in a safe place, never in a web page.`,
  )
}

const words = (list: string) =>
  list
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')

function scopesOf(list: string): string[] {
  if (list === 'all') return [...SCOPES]
  const unknown = words(list).filter((word) => !isScopeWord(word))
  if (unknown.length > 0)
    throw new CommandError(`There is no scope ${unknown.join(', ')}. The scopes are: ${SCOPE_WORDS.join(', ')}.`)
  return words(list)
}

async function list(
  json: boolean,
  carryOut: (request: ControlRequest) => Promise<unknown>,
  terminal: Terminal,
): Promise<void> {
  const { data } = (await carryOut({ command: 'keys.list', input: {} })) as { data: KeyRow[] }
  if (json) return terminal.out(JSON.stringify({ data }))
  if (data.length === 0) return terminal.out('There are no keys yet. Make one with: npm run keys -- create --name NAME')
  for (const key of data) {
    const reach = key.allowed_instance_ids === null ? 'all instances' : `${key.allowed_instance_ids.length} instance(s)`
    const state = key.revoked_at === null ? `last used ${key.last_used_at ?? 'never'}` : `revoked ${key.revoked_at}`
    terminal.out(`${key.id}  …${key.last4}  ${key.name}  (${reach}; ${state})\n    ${key.scopes.join(' ')}`)
  }
}
