import { SettingError, type Kind } from './setting-kinds.ts'

/** A setting is unknown, malformed or contradicts another. The message is shown to the user. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ConfigError'
  }
}

type SettingSource = 'flag' | 'environment' | 'file'

export interface Setting<T> {
  /** Name in settings.json. Flag and variable are made from it: `a.b_c` is `--a-b-c` and `SWITCHBOARD_A_B_C`. */
  readonly name: string
  readonly kind: Kind<T>
  readonly fallback: T | ((machine: Machine) => T)
  /** The default as the README shows it, if the value itself is not readable. */
  readonly defaultText?: string
  readonly description: string
  /** Where it may be set; absent: anywhere. */
  readonly only?: readonly SettingSource[]
  /** Never shown in a message. */
  readonly secret?: true
  /** Whether the window may change it in settings.json, and when that takes effect. Absent: not editable in the window. */
  readonly window?: 'now' | 'restart'
  /** The name of a secret that goes where this says. While there is one, the window does not change this. */
  readonly leads?: string
}

export type Settings = Readonly<Record<string, Setting<unknown>>>

/** Declares settings once, by the names that code reads them under: the types of their values follow from it. */
export const defineSettings = <const T>(settings: { readonly [K in keyof T]: Setting<T[K]> }) => settings

export type ValuesOf<S> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never }

/** Everything settings are read from; passed in to keep reading a pure function. */
export interface Machine {
  /** Setting flags only; `splitFlags` separates them from a command's own arguments. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly homedir: string
  /** @returns null when the file does not exist. */
  readonly readFile: (path: string) => string | null
}

/** A setting's value as written, and where, for error messages. */
interface SettingEntry {
  readonly place: SettingSource
  readonly where: string
  readonly read: (kind: Kind<unknown>) => unknown
  readonly raw: unknown
}

export type SettingEntries = ReadonlyMap<string, SettingEntry>

const PREFIX = 'SWITCHBOARD_'

const flagOf = (setting: Setting<unknown>) => `--${setting.name.replace(/[._]/g, '-')}`
const variableOf = (setting: Setting<unknown>) => PREFIX + setting.name.replaceAll('.', '_').toUpperCase()
const fits = (setting: Setting<unknown>, place: SettingSource) => setting.only?.includes(place) ?? true

/**
 * Splits command-line arguments into setting flags and the rest, which the command parses.
 * @example splitFlags(SETTINGS, ['--port', '0', '--json']) // { settings: ['--port=0'], rest: ['--json'] }
 */
export function splitFlags(settings: Settings, argv: readonly string[]): { settings: string[]; rest: string[] } {
  const ours: string[] = []
  const rest: string[] = []
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i] ?? ''
    const [name = ''] = argument.split('=', 1)
    const setting = Object.values(settings).find((one) => flagOf(one) === name)
    const next = argv[i + 1]
    if (!setting) rest.push(argument)
    else if (argument.includes('=')) ours.push(argument)
    else if (isSwitch(setting) && next !== 'true' && next !== 'false') ours.push(`${name}=true`)
    else if (next === undefined || next.startsWith('--')) throw new ConfigError(`${name} needs a value.`)
    else {
      ours.push(`${name}=${next}`)
      i++
    }
  }
  return { settings: ours, rest }
}

export function fromFlags(settings: Settings, argv: readonly string[]): SettingEntries {
  const { settings: ours, rest } = splitFlags(settings, argv)
  if (rest[0] !== undefined)
    throw new ConfigError(`${rest[0]} is not a Switchboard setting. See the README for the list.`)
  const written = new Map<string, SettingEntry>()
  for (const argument of ours) {
    const [flag = ''] = argument.split('=', 1)
    const setting = findSetting(settings, 'flag', flag, (one) => flagOf(one) === flag)
    const raw = argument.slice(flag.length + 1)
    written.set(setting.name, { place: 'flag', where: flag, raw, read: (kind) => kind.fromText(raw) })
  }
  return written
}

/** An empty variable is treated as unset: container files cannot omit one. */
export function fromEnvironment(settings: Settings, env: Machine['env']): SettingEntries {
  const written = new Map<string, SettingEntry>()
  for (const [variable, raw] of Object.entries(env)) {
    if (!variable.startsWith(PREFIX) || raw === undefined || raw === '') continue
    const setting = findSetting(settings, 'environment', variable, (one) => variableOf(one) === variable)
    written.set(setting.name, { place: 'environment', where: variable, raw, read: (kind) => kind.fromText(raw) })
  }
  return written
}

export function fromFile(settings: Settings, path: string, machine: Machine): SettingEntries {
  const content = machine.readFile(path)
  if (content === null) return new Map()
  const written = new Map<string, SettingEntry>()
  for (const [name, raw] of flatten(parse(content, path))) {
    const where = `"${name}" in ${path}`
    const setting = findSetting(settings, 'file', where, (one) => one.name === name)
    written.set(setting.name, { place: 'file', where, raw, read: (kind) => kind.fromJson(raw) })
  }
  return written
}

/** The value from the first source that has one, or the default. */
export function resolveSetting<T>(setting: Setting<T>, places: readonly SettingEntries[], machine: Machine): T {
  const written = places.find((place) => place.has(setting.name))?.get(setting.name)
  if (!written) {
    // No setting has functions as values, so a function computes the default.
    return typeof setting.fallback === 'function' ? (setting.fallback as (m: Machine) => T)(machine) : setting.fallback
  }
  try {
    // `read` applies the kind it is given, and this kind reads T.
    return written.read(setting.kind) as T
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    const got = setting.secret ? '' : ` Got ${JSON.stringify(written.raw)}.`
    throw new ConfigError(`${written.where} must ${error.message}.${got}`)
  }
}

export type Origin = Pick<SettingEntry, 'place' | 'where'>

/** Sources of the settings that differ from their defaults, by name. */
export function originsOf(settings: Settings, places: readonly SettingEntries[]): ReadonlyMap<string, Origin> {
  return new Map(
    Object.values(settings).flatMap(({ name }) => {
      const written = places.find((place) => place.has(name))?.get(name)
      return written === undefined ? [] : [[name, { place: written.place, where: written.where }] as const]
    }),
  )
}

export interface SettingRow {
  readonly name: string
  readonly flag: string | null
  readonly variable: string | null
  readonly inFile: boolean
  readonly values: string
  readonly fallback: string
  readonly description: string
}

/** Rows of the README's settings table. */
export function describe(settings: Settings): SettingRow[] {
  return Object.values(settings).map((setting) => ({
    name: setting.name,
    flag: fits(setting, 'flag') ? flagOf(setting) : null,
    variable: fits(setting, 'environment') ? variableOf(setting) : null,
    inFile: fits(setting, 'file'),
    values: setting.kind.words,
    fallback: setting.defaultText ?? `\`${String(setting.fallback)}\``,
    description: setting.description,
  }))
}

function findSetting(
  settings: Settings,
  place: SettingSource,
  said: string,
  isMeant: (setting: Setting<unknown>) => boolean,
) {
  const setting = Object.values(settings).find(isMeant)
  if (!setting) throw new ConfigError(`${said} is not a Switchboard setting. See the README for the list.`)
  if (fits(setting, place)) return setting
  const places: Record<SettingSource, string> = {
    flag: flagOf(setting),
    environment: variableOf(setting),
    file: 'settings.json',
  }
  const allowed = (setting.only ?? []).map((one) => places[one]).join(' or ')
  throw new ConfigError(`${said} can't be set there. Use ${allowed}.`)
}

const isSwitch = (setting: Setting<unknown>) => typeof setting.fallback === 'boolean'

function parse(content: string, path: string): object {
  let parsed: unknown
  try {
    parsed = JSON.parse(content)
  } catch (error) {
    throw new ConfigError(`${path} is not valid JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (!isGroup(parsed)) throw new ConfigError(`${path} must contain a JSON object.`)
  return parsed
}

/** `{"egress": {"trusted_ranges": […]}}` and `{"egress.trusted_ranges": […]}` are equivalent. */
function flatten(group: object, prefix = ''): [string, unknown][] {
  return Object.entries(group).flatMap(([name, value]: [string, unknown]) =>
    isGroup(value) ? flatten(value, `${prefix}${name}.`) : [[prefix + name, value] satisfies [string, unknown]],
  )
}

const isGroup = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
