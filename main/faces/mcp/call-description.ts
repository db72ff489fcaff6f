import type { Contract, Operation } from '../../contract/operation.ts'
import type { Principal } from '../../kernel/access.ts'
import { pathParams } from '../path-params.ts'
import type { ToolRequest } from './input.ts'
import type { DoorAnswer } from './result.ts'

type Arguments = Readonly<Record<string, unknown>>

/** Something a call is about, and where the door tells more of it. */
interface Resource {
  readonly argument: string
  /** Path of the operation that reads it, with `{…}` for each argument so far. */
  readonly path: string
}

export interface CallDescriber {
  /** What the call will do, in one sentence for a person: with the names of things, and without secrets. */
  describeCall(operation: Operation, given: Arguments, principal: Principal): Promise<string>
}

/** Fields of a record that people know it by, the best first. */
const NAMES = ['name', 'title', 'url', 'number', 'description'] as const
/** Of a list of things, so many are named. */
const NAMED_AT_MOST = 5
const VALUE_CHARACTERS = 120
const INSTANCE = '/v1/instances/{instance_id}'

export function createCallDescriber(deps: {
  readonly operations: readonly Contract[]
  readonly call: (principal: Principal, request: ToolRequest) => Promise<DoorAnswer>
}): CallDescriber {
  const readable = new Set(
    deps.operations.flatMap((room) =>
      Object.values(room).flatMap((one) => (one.method === 'GET' ? [fullPath(one)] : [])),
    ),
  )

  /**
   * Asked as the console of the same reach: a key that may delete a thing need not be able to read it, and the person
   * who is asked must know which one is meant.
   */
  const nameOf = async (path: string, principal: Principal): Promise<string | undefined> => {
    const { status, body } = await deps.call(
      { ...principal, kind: 'console', key: null },
      { method: 'GET', path, headers: {} },
    )
    if (status !== 200 || typeof body !== 'object' || body === null) return undefined
    const record = body as Readonly<Record<string, unknown>>
    return NAMES.map((name) => record[name]).find((value) => typeof value === 'string' && value !== '') as
      string | undefined
  }

  const labelOf = async (path: string, id: string, principal: Principal) => {
    const name = await nameOf(path, principal)
    return name === undefined || name === id ? id : `“${short(name)}” (${id})`
  }

  return {
    async describeCall(operation, given, principal) {
      const things = resourcesOf(operation)
      const parts: string[] = []
      for (const { argument, path } of things) {
        const id = text(given[argument])
        parts.push(readable.has(path) ? await labelOf(filled(path, given), id, principal) : id)
      }
      for (const [name, value] of Object.entries(given)) {
        if (CALL_OPTIONS.has(name) || things.some(({ argument }) => argument === name)) continue
        if (name !== 'instance_ids' || !Array.isArray(value)) parts.push(`${name}: ${formatValue(name, value)}`)
        else parts.push(await listed(value.map(text)))
      }
      return parts.length === 0 ? `${operation.summary}.` : `${operation.summary}: ${parts.join(', ')}.`

      async function listed(ids: readonly string[]): Promise<string> {
        const named = ids.slice(0, NAMED_AT_MOST)
        const known = await Promise.all(
          named.map((id) => labelOf(filled(INSTANCE, { instance_id: id }), id, principal)),
        )
        const more = ids.length - named.length
        return more > 0 ? `${known.join(', ')} and ${more} more` : known.join(', ')
      }
    },
  }
}

/** How a call is made, not what it does. */
const CALL_OPTIONS = new Set(['confirm', 'idempotency_key', 'approval_id'])

function fullPath(operation: Operation): string {
  let path: string = operation.path
  for (const { name, fullName } of pathParams(operation)) path = path.replace(`{${name}}`, `{${fullName}}`)
  return path
}

function resourcesOf(operation: Operation): Resource[] {
  const path = fullPath(operation)
  return pathParams(operation).map(({ fullName }) => ({
    argument: fullName,
    path: path.slice(0, path.indexOf(`{${fullName}}`) + fullName.length + 2),
  }))
}

const filled = (path: string, given: Arguments): string =>
  path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(text(given[name])))

const SECRET = /secret|token|password|passphrase|api_key|^key$|^value$|^qr$|pairing_code/i

/** The arguments as a person may see them: what unlocks something is not shown. */
export function redactSecrets(given: Arguments): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (CALL_OPTIONS.has(name) ? [] : [[name, redacted(name, value)]])),
  )
}

function redacted(name: string, value: unknown): unknown {
  if (SECRET.test(name)) return '(not shown)'
  if (Array.isArray(value)) return value.map((each: unknown) => redacted('', each))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([inner, each]) => [inner, redacted(inner, each)]))
}

function formatValue(name: string, value: unknown): string {
  const seen = redacted(name, value)
  return typeof seen === 'string' ? `“${short(seen)}”` : short(JSON.stringify(seen))
}

/** An argument of a path; what is left out was refused before anybody is asked. */
const text = (value: unknown): string =>
  typeof value === 'string' ? value.toWellFormed() : value === undefined ? '' : JSON.stringify(value)

const short = (words: string): string =>
  words.length > VALUE_CHARACTERS ? `${words.slice(0, VALUE_CHARACTERS).toWellFormed()}…` : words
