/**
 * How a setting is parsed: flags and environment variables are text, settings.json is JSON.
 * Both parsers throw a SettingError whose message completes "<setting> must …".
 */
export interface Kind<T> {
  /** For the table in the README, for example `integer, 0 to 65535`. */
  readonly words: string
  /** Allowed range of a number, or of each number in a list. */
  readonly range?: { readonly min: number; readonly max: number }
  /** The allowed words, if there are only a few. */
  readonly choices?: readonly string[]
  fromText(text: string): T
  fromJson(value: unknown): T
}

export class SettingError extends Error {}

const fail = (rule: string): never => {
  throw new SettingError(rule)
}

export function integer({ min, max }: { min: number; max: number }): Kind<number> {
  const rule = `be an integer from ${min} to ${max}`
  const fromJson = (value: unknown) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max ? value : fail(rule)
  return {
    words: `integer, ${min} to ${max}`,
    range: { min, max },
    fromJson,
    fromText: (text) => (/^-?\d+$/.test(text.trim()) ? fromJson(Number(text)) : fail(rule)),
  }
}

/** Exactly `count` numbers; comma-separated as text. */
export function numbers(
  count: number,
  { min, max, whole }: { min: number; max: number; whole: boolean },
): Kind<readonly number[]> {
  const noun = whole ? 'integers' : 'numbers'
  const rule = `be ${count} ${noun} from ${min} to ${max}`
  const fits = (item: unknown): item is number =>
    typeof item === 'number' && item >= min && item <= max && (!whole || Number.isInteger(item))
  const fromJson = (value: unknown) =>
    Array.isArray(value) && value.length === count && value.every(fits) ? Object.freeze([...value]) : fail(rule)
  return {
    words: `${count} ${noun}, ${min} to ${max}`,
    range: { min, max },
    fromJson,
    fromText: (text) => fromJson(text.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)))),
  }
}

export function oneOf<const W extends string>(...words: readonly W[]): Kind<W> {
  const rule = `be one of ${words.join(', ')}`
  const find = (value: unknown) => words.find((word) => word === value) ?? fail(rule)
  return { words: words.map((word) => `\`${word}\``).join(' or '), choices: words, fromJson: find, fromText: find }
}

export const boolean: Kind<boolean> = {
  words: '`true` or `false`',
  fromJson: (value) => (typeof value === 'boolean' ? value : fail('be true or false')),
  fromText: (text) => (text === 'true' ? true : text === 'false' ? false : fail('be true or false')),
}

/** @param accept parses the text; undefined refuses it. */
export function text<T>({
  words,
  rule,
  accept,
}: {
  words: string
  rule: string
  accept(text: string): T | undefined
}): Kind<T> {
  const read = (value: unknown): T => {
    const accepted = typeof value === 'string' ? accept(value) : undefined
    return accepted === undefined ? fail(rule) : accepted
  }
  return { words, fromJson: read, fromText: read }
}

/** A list of any length; comma-separated as text. */
export function listOf<T>(item: Kind<T>, words: string): Kind<readonly T[]> {
  return {
    words,
    fromJson: (value) =>
      Array.isArray(value) ? Object.freeze(value.map((one) => item.fromJson(one))) : fail('be a list'),
    fromText: (value) =>
      Object.freeze(
        value
          .split(',')
          .map((part) => part.trim())
          .filter((part) => part !== '')
          .map((part) => item.fromText(part)),
      ),
  }
}
