import { timingSafeEqual } from 'node:crypto'
import { inspect } from 'node:util'

/** A string that is hard to print by accident: it serialises as `[secret …last4]` and is opened in one visible call. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** The value itself. Call it only where the value is used. */
  open(): string {
    return this.#value
  }

  get last4(): string {
    return this.#value.slice(-4)
  }

  /** Compares in constant time. */
  equals(other: string): boolean {
    const mine = Buffer.from(this.#value)
    const theirs = Buffer.from(other)
    return mine.length === theirs.length && timingSafeEqual(mine, theirs)
  }

  toString(): string {
    return `[secret …${this.last4}]`
  }

  toJSON(): string {
    return this.toString()
  }

  [inspect.custom](): string {
    return this.toString()
  }
}
