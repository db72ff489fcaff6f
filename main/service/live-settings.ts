import { join } from 'node:path'
import type { SettingRecord } from '../capabilities/service/contract.ts'
import type { SettingsEditor } from '../capabilities/service/index.ts'
import { SETTINGS, type Config } from '../config.ts'
import { ApiError } from '../contract/errors.ts'
import { readOrNull, writeDurably } from '../kernel/durable-file.ts'
import { Secret } from '../kernel/secret.ts'
import { SettingError } from '../kernel/setting-kinds.ts'
import type { Setting } from '../kernel/settings.ts'

type Field = keyof typeof SETTINGS

/**
 * The settings editor, and the settings for the rooms: those that may change while the service runs are read on each
 * use.
 */
export interface LiveSettings {
  readonly config: Config
  readonly editor: SettingsEditor
}

const FIELDS = Object.keys(SETTINGS) as Field[]

/**
 * The settings of a running service. Changes in the window are written to settings.json; those that take effect
 * immediately are also passed to the rooms through `config`.
 */
export function createLiveSettings(start: Config): LiveSettings {
  const values = new Map<Field, unknown>(FIELDS.map((field) => [field, start[field]]))
  const origins = new Map(start.origins)
  /** Stored settings that take effect at the next start. */
  const pending = new Map<Field, unknown>()
  const file = join(start.home, 'settings.json')
  let writing: Promise<unknown> = Promise.resolve()

  const rowOf = (field: Field): SettingRecord => {
    const setting = settingOf(field)
    const { place = 'default', where = null } = origins.get(setting.name) ?? {}
    const isFixed = place === 'flag' || place === 'environment' || secretOf(setting, start) !== undefined
    const { range = null, choices = null } = setting.kind
    return {
      ...{ name: setting.name, value: toWire(values.get(field)), usual: toWire(defaultOf(setting)), place, where },
      next: pending.has(field) ? { value: toWire(pending.get(field)) } : null,
      change: isFixed ? null : (setting.window ?? null),
      ...{ range, choices: choices && [...choices] },
    }
  }

  async function change(wanted: Readonly<Record<string, unknown>>): Promise<void> {
    const changes = Object.entries(wanted).map(([name, raw]) => [fieldToChange(name, origins, start), raw] as const)
    const read = changes.map(([field, raw]) => [field, valueOf(field, raw)] as const)
    await writeInto(file, Object.fromEntries(changes.map(([field, raw]) => [settingOf(field).name, raw])))
    for (const [field, value] of read) {
      const { name, window } = settingOf(field)
      if (wanted[name] === null) origins.delete(name)
      else origins.set(name, { place: 'file', where: `"${name}" in ${file}` })
      if (window === 'now') values.set(field, value)
      else if (JSON.stringify(values.get(field)) === JSON.stringify(value)) pending.delete(field)
      else pending.set(field, value)
    }
  }

  return {
    config: viewOf(values, start),
    editor: {
      list: () => FIELDS.map(rowOf),
      async change(wanted) {
        // One change at a time, because each reads the file that the previous one wrote.
        const mine = writing.then(() => change(wanted))
        writing = mine.catch(() => {})
        await mine
      },
    },
  }
}

const settingOf = (field: Field): Setting<unknown> => SETTINGS[field]

/** Where the secret was set that is sent to the address in this setting; undefined: there is none. */
function secretOf({ leads }: Setting<unknown>, { origins }: Config): string | undefined {
  return leads === undefined ? undefined : origins.get(leads)?.where
}

/** Computed defaults cannot be shown as values. */
const defaultOf = ({ fallback }: Setting<unknown>): unknown => (typeof fallback === 'function' ? null : fallback)

const toWire = (value: unknown): SettingRecord['value'] =>
  // A setting is text, a number, a boolean, a list of these, or absent; its kind ensures this.
  value instanceof Secret ? null : (value as SettingRecord['value'])

function viewOf(values: ReadonlyMap<Field, unknown>, start: Config): Config {
  const view: object = {}
  for (const field of FIELDS) Object.defineProperty(view, field, { enumerable: true, get: () => values.get(field) })
  // It has one property for each field of the settings, with that field's type.
  return Object.freeze(Object.assign(view, { origins: start.origins })) as Config
}

/** @throws ApiError for a setting that cannot be changed here, or would have no effect. */
function fieldToChange(name: string, origins: Config['origins'], start: Config): Field {
  const field = FIELDS.find((one) => settingOf(one).name === name)
  if (field === undefined || settingOf(field).window === undefined)
    throw new ApiError('validation_error', `${name} cannot be changed here. Set it where Switchboard is started.`)
  const secret = secretOf(settingOf(field), start)
  if (secret !== undefined)
    throw new ApiError(
      'invalid_state',
      `The secret of ${secret} goes where ${name} says. Change both where Switchboard is started, and restart it.`,
    ).because('setting_with_secret', { where: secret })
  const origin = origins.get(name)
  if (origin === undefined || origin.place === 'file') return field
  throw new ApiError(
    'invalid_state',
    `${name} is set by ${origin.where}, which overrides settings.json. Remove it there and restart Switchboard.`,
  ).because('setting_elsewhere', { where: origin.where })
}

/** @param raw null: the default. */
function valueOf(field: Field, raw: unknown): unknown {
  const setting = settingOf(field)
  if (raw === null) return defaultOf(setting)
  try {
    return setting.kind.fromJson(raw)
  } catch (error) {
    if (error instanceof SettingError) throw invalid(setting, error)
    throw error
  }
}

function invalid({ name, kind }: ReturnType<typeof settingOf>, { message }: SettingError): ApiError {
  const refusal = new ApiError('validation_error', `${name} must ${message}.`)
  if (kind.range !== undefined) return refusal.because('setting_range', kind.range)
  if (name === 'safety.timezone') return refusal.because('timezone_unknown', { field: 'timezone' })
  return refusal.because('setting_invalid')
}

/** Keeps everything else in the file. */
async function writeInto(file: string, changes: Readonly<Record<string, unknown>>): Promise<void> {
  const before = JSON.parse((await readOrNull(file)) ?? '{}') as Record<string, unknown>
  const after = Object.entries({ ...before, ...changes }).filter(([, value]) => value !== null)
  await writeDurably(file, `${JSON.stringify(Object.fromEntries(after), null, 2)}\n`)
}
