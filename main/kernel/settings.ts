import { SettingError, type Kind } from './setting-kinds.ts'

/** A setting is unknown, malformed or contradicts another; the message is for the person who wrote it. */
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
  /** The default as the README shows it, where the value itself would not tell. */
  readonly defaultText?: string
  readonly description: string
  /** Where it may stand; everywhere when absent. */
  readonly only?: readonly SettingSource[]
  /** Its value never appears in a message. */
  readonly secret?: true
  /** The window may write it into settings.json, and when that counts. Absent: it is set where the service is started. */
  readonly window?: 'now' | 'restart'
}

export type Settings = Readonly<Record<string, Setting<unknown>>>

/** What the machine says, handed in so that reading settings is a pure function. */
export interface Machine {
  /** Arguments that are settings and nothing else; `splitFlags` parts them from those of a command. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly homedir: string
  /** @returns null when the file does not exist. */
  readonly readFile: (path: string) => string | null
}

/** What somebody wrote for a setting, and where: the words an error message points at. */
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
 * Parts the arguments of a command line into those that are settings and all others, which the command reads itself.
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
    else if (next === undefined || next.startsWith('--')) throw new ConfigError(`${name} needs a value after it.`)
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
    throw new ConfigError(`${rest[0]} is not a setting of Switchboard. The README lists them all.`)
  const written = new Map<string, SettingEntry>()
  for (const argument of ours) {
    const [flag = ''] = argument.split('=', 1)
    const setting = findSetting(settings, 'flag', flag, (one) => flagOf(one) === flag)
    const raw = argument.slice(flag.length + 1)
    written.set(setting.name, { place: 'flag', where: flag, raw, read: (kind) => kind.fromText(raw) })
  }
  return written
}

/** An empty variable counts as unset: container files cannot leave one out. */
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

/** The value of a setting: the first place that names it wins, else the default. */
export function resolveSetting<T>(setting: Setting<T>, places: readonly SettingEntries[], machine: Machine): T {
  const written = places.find((place) => place.has(setting.name))?.get(setting.name)
  if (!written) {
    // A default that is a function is computed; no setting has functions for values.
    return typeof setting.fallback === 'function' ? (setting.fallback as (m: Machine) => T)(machine) : setting.fallback
  }
  try {
    // `read` applies the kind it is given, and this kind reads T.
    return written.read(setting.kind) as T
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    const said = setting.secret ? '' : ` It is ${JSON.stringify(written.raw)}.`
    throw new ConfigError(`${written.where} must ${error.message}.${said}`)
  }
}

/** Where a setting was written: a flag, a variable or settings.json. */
export type Origin = Pick<SettingEntry, 'place' | 'where'>

/** Settings that were written somewhere, by name; all others have their defaults. */
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

/** The settings as rows of a table for people. */
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
  if (!setting) throw new ConfigError(`${said} is not a setting of Switchboard. The README lists them all.`)
  if (fits(setting, place)) return setting
  const places: Record<SettingSource, string> = {
    flag: flagOf(setting),
    environment: variableOf(setting),
    file: 'settings.json',
  }
  const allowed = (setting.only ?? []).map((one) => places[one]).join(' or ')
  throw new ConfigError(`${said} cannot be set there. Use ${allowed}.`)
}

const isSwitch = (setting: Setting<unknown>) => typeof setting.fallback === 'boolean'

function parse(content: string, path: string): object {
  let parsed: unknown
  try {
    parsed = JSON.parse(content)
  } catch (error) {
    throw new ConfigError(`${path} is not valid JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (!isGroup(parsed)) throw new ConfigError(`${path} must hold a JSON object.`)
  return parsed
}

/** `{"egress": {"trusted_ranges": […]}}` and `{"egress.trusted_ranges": […]}` say the same. */
function flatten(group: object, prefix = ''): [string, unknown][] {
  return Object.entries(group).flatMap(([name, value]: [string, unknown]) =>
    isGroup(value) ? flatten(value, `${prefix}${name}.`) : [[prefix + name, value] satisfies [string, unknown]],
  )
}

const isGroup = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
