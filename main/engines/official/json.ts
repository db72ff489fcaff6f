import { parseForeignJson } from '../../kernel/foreign-json.ts'

/** Readers for JSON from Meta. Its content is unknown until checked, and any field may be missing. */

export type Json = Readonly<Record<string, unknown>>

/** Meta sends numbers as text or as numbers, depending on the field and the API version. */
type Scalar = string | number

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object under this name, or an empty one. */
export const recordAt = (from: Json, name: string): Json => asRecord(from[name])

export const asRecord = (value: unknown): Json => (isRecord(value) ? value : {})

/** The objects in the list under this name. Other values are left out. */
export function recordsAt(from: Json, name: string): readonly Json[] {
  const value = from[name]
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** Text that is not empty, or null. */
export function textAt(from: Json, name: string): string | null {
  const value = from[name]
  return typeof value === 'string' && value !== '' ? value : null
}

/** An integer written as a number or as text, or null. */
export function integerAt(from: Json, name: string): number | null {
  const value = from[name] as Scalar | undefined
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : null
}

/** @returns undefined for anything that is not a JSON object, or exceeds the limits of parseForeignJson. */
export function parseRecord(text: string | Buffer): Json | undefined {
  try {
    const value: unknown = parseForeignJson(Buffer.from(text))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The digits of a phone number in any notation. */
export const digitsOf = (text: string): string => text.replaceAll(/\D/g, '')
