import { Answer, type Call, type ServedOperation } from '../capabilities/handler.ts'

/** Fields that name a record for people, best first. */
const NAMES = ['name', 'title', 'filename'] as const
const CHARACTERS = 200

/** The name of a record. For a URL only its host, because the rest may contain a secret. */
export function nameIn(record: unknown): string | null {
  if (typeof record !== 'object' || record === null) return null
  const fields = record as Readonly<Record<string, unknown>>
  const name = NAMES.map((field) => fields[field]).find((value) => typeof value === 'string' && value !== '')
  if (typeof name === 'string') return name.slice(0, CHARACTERS).toWellFormed()
  const { url } = fields
  return typeof url === 'string' ? (URL.parse(url)?.host ?? null) : null
}

/** The operation that reads an object which is about to be deleted. @returns undefined if there is none. */
export function readerOf(
  { operation: { method, path } }: ServedOperation,
  all: readonly ServedOperation[],
): ServedOperation | undefined {
  if (method !== 'DELETE' || !path.endsWith('}')) return undefined
  return all.find(
    ({ operation }) => operation.method === 'GET' && operation.path === path && operation.waitsForEngine !== true,
  )
}

/** @returns null if the object has no name or cannot be read. */
export async function nameBefore(reader: ServedOperation | undefined, call: () => Call): Promise<string | null> {
  if (reader === undefined) return null
  try {
    const answer = await reader.handler(call())
    return nameIn(answer instanceof Answer ? answer.body : answer)
  } catch {
    // The deletion itself reports the error.
    return null
  }
}
