import { missing, StripeFault } from './faults.ts'

/** A parameter of a form-encoded request, in which every value is text. */
type Param = string | Params | readonly Param[]
export interface Params {
  readonly [name: string]: Param | undefined
}

/** @param encoded `items[0][price]=price_1&expand[]=latest_invoice`, as sent by Stripe's clients. */
export function parseForm(encoded: string): Params {
  const root: Tree = new Map()
  for (const [name, value] of new URLSearchParams(encoded)) {
    const path = [name.split('[', 1)[0] ?? '', ...[...name.matchAll(/\[([^[\]]*)\]/g)].map(([, part = '']) => part)]
    insert(root, path, value)
  }
  return toParams(root) as Params
}

type Tree = Map<string, string | Tree>

function insert(tree: Tree, [head = '', ...rest]: readonly string[], value: string): void {
  const key = head === '' ? String(tree.size) : head
  if (rest.length === 0) return void tree.set(key, value)
  const known = tree.get(key)
  const below: Tree = typeof known === 'object' ? known : new Map<string, string | Tree>()
  tree.set(key, below)
  insert(below, rest, value)
}

function toParams(tree: Tree): Param {
  const entries = [...tree].map(([key, value]) => [key, typeof value === 'string' ? value : toParams(value)] as const)
  const isList = entries.length > 0 && entries.every(([key], i) => key === String(i))
  return isList ? entries.map(([, value]) => value) : Object.fromEntries(entries)
}

const isRecord = (value: Param | undefined): value is Params => typeof value === 'object' && !Array.isArray(value)

/** Reads the parameters of a request and tracks their path, for the `param` of errors. */
export class Reader {
  readonly #params: Params
  readonly #place: string

  constructor(params: Params, place = '') {
    this.#params = params
    this.#place = place
  }

  has(name: string): boolean {
    return this.#params[name] !== undefined
  }

  names(): string[] {
    return Object.keys(this.#params)
  }

  /** An empty value unsets a field at Stripe; it reads as ''. */
  text(name: string): string | undefined {
    const value = this.#params[name]
    if (value === undefined || typeof value === 'string') return value
    throw invalid(`Invalid string: ${JSON.stringify(value)}`, this.path(name))
  }

  need(name: string): string {
    const value = this.text(name)
    if (value === undefined || value === '') throw missing(this.path(name))
    return value
  }

  integer(name: string): number | undefined {
    const value = this.text(name)
    if (value === undefined || value === '') return undefined
    if (/^-?\d{1,15}$/.test(value)) return Number(value)
    throw invalid(`Invalid integer: ${value}`, this.path(name))
  }

  boolean(name: string): boolean | undefined {
    const value = this.text(name)
    if (value === undefined || value === '') return undefined
    if (value === 'true' || value === 'false') return value === 'true'
    throw invalid(`Invalid boolean: ${value}`, this.path(name))
  }

  oneOf<const T extends string>(name: string, words: readonly T[]): T | undefined {
    const value = this.text(name)
    if (value === undefined || value === '') return undefined
    const found = words.find((word) => word === value)
    if (found !== undefined) return found
    throw invalid(`Invalid ${name}: must be one of ${words.join(', ')}`, this.path(name))
  }

  below(name: string): Reader {
    const value = this.#params[name]
    return new Reader(isRecord(value) ? value : {}, this.path(name))
  }

  items(name: string): Reader[] {
    const value = this.#params[name]
    const list = Array.isArray(value) ? (value as readonly Param[]) : []
    return list.map((entry, i) => new Reader(isRecord(entry) ? entry : {}, `${this.path(name)}[${String(i)}]`))
  }

  texts(name: string): string[] {
    const value = this.#params[name]
    const list = Array.isArray(value) ? (value as readonly Param[]) : value === undefined ? [] : [value]
    return list.filter((entry) => typeof entry === 'string')
  }

  metadata(before: Readonly<Record<string, string>> = {}): Record<string, string> {
    const given = this.below('metadata')
    if (this.text2('metadata') === '') return {}
    const merged = { ...before }
    for (const name of given.names()) {
      const value = given.text(name) ?? ''
      if (name.length > 40) throw invalid('Metadata keys can have up to 40 characters.', `metadata[${name}]`)
      if (value.length > 500) throw invalid('Metadata values can have up to 500 characters.', `metadata[${name}]`)
      merged[name] = value
    }
    // An empty value removes the key.
    return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== ''))
  }

  path(name: string): string {
    return this.#place === '' ? name : `${this.#place}[${name}]`
  }

  private text2(name: string): string | undefined {
    const value = this.#params[name]
    return typeof value === 'string' ? value : undefined
  }
}

export const invalid = (message: string, param: string) =>
  new StripeFault(400, { type: 'invalid_request_error', message, param })
