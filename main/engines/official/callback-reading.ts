import type { Item } from './callback-items.ts'
import { integerAt, type Json } from './json.ts'

/** What was read from a list or a field of a callback. */
export interface Reading {
  readonly items: readonly Item[]
  readonly problems: readonly string[]
  readonly noted?: readonly string[]
}

/** @param read returns undefined for what it cannot parse, null for what Switchboard does not use. */
export function each(list: readonly Json[], name: string, read: (one: Json) => Item | null | undefined): Reading {
  const items: Item[] = []
  const problems: string[] = []
  for (const [i, one] of list.entries()) {
    const item = read(one)
    if (item === undefined) problems.push(`${name}[${i}]`)
    else if (item !== null) items.push(item)
  }
  return { items, problems }
}

/** Meta writes times as seconds, mostly as text. */
export function secondsAt(from: Json, name: string): number | null {
  const seconds = integerAt(from, name)
  return seconds === null || seconds <= 0 ? null : seconds * 1_000
}
