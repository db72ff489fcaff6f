import { parseForeignJson } from '../../kernel/foreign-json.ts'

/** Readers for what Meta sends: unknown until looked at, and never trusted to have a field. */

export type Json = Readonly<Record<string, unknown>>

/** Meta's numbers come as text or as numbers, depending on the field and on the year. */
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

/** Text that says something, or null. */
export function textAt(from: Json, name: string): string | null {
  const value = from[name]
  return typeof value === 'string' && value !== '' ? value : null
}

/** A whole number that is written as such or as text, or null. */
export function integerAt(from: Json, name: string): number | null {
  const value = from[name] as Scalar | undefined
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : null
}

/** @returns undefined for anything that is no JSON object, or an immense one. */
export function parseRecord(text: string | Buffer): Json | undefined {
  try {
    const value: unknown = parseForeignJson(Buffer.from(text))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Digits of a number as people write it. */
export const digitsOf = (text: string): string => text.replaceAll(/\D/g, '')
