import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { posix, win32 } from 'node:path'
import { LIMITS } from './contract/limits.ts'
import type { Network } from './contract/shapes.ts'
import { isLoopback, parseRange } from './kernel/address-range.ts'
import type { LogLevel } from './kernel/log.ts'
import { Secret } from './kernel/secret.ts'
import { integer, listOf, numbers, oneOf, text, yesOrNo, type Kind } from './kernel/setting-kinds.ts'
import {
  ConfigError,
  describe,
  fromEnvironment,
  fromFile,
  fromFlags,
  settle,
  splitFlags,
  type Machine,
  type Setting,
  type SettingRow,
} from './kernel/settings.ts'

export { ConfigError } from './kernel/settings.ts'

/** Every setting of the service, read once at start and frozen. */
export interface Config {
  readonly home: string
  readonly host: string
  readonly port: number
  readonly allowLan: boolean
  readonly allowedHosts: readonly string[]
  readonly publicBaseUrl: string | null
  readonly network: Network
  /** null: a new home decides by what works (keychain first) and keeps to it. */
  readonly vault: 'keychain' | 'file' | null
  readonly vaultPassphrase: Secret | null
  readonly ratePerMinute: number
  readonly anonymousRatePerMinute: number
  readonly slots: number
  readonly sendTimeoutMs: number
  /** Waits before attempts 2 to 8 of a webhook delivery. */
  readonly retryScheduleSeconds: readonly number[]
  /** Until a sandbox message is accepted, sent, delivered and read. */
  readonly sandboxTimelineMs: readonly [accepted: number, sent: number, delivered: number, read: number]
  /** CIDR ranges that webhooks and media may lead to although they are not public. */
  readonly trustedRanges: readonly string[]
  readonly logLevel: LogLevel
}

const SETTINGS: { readonly [K in keyof Config]: Setting<Config[K]> } = {
  home: {
    name: 'home',
    kind: text({ words: 'folder', rule: 'be the path of a folder', accept: (path) => path || undefined }),
    fallback: defaultHome,
    shown: '`$XDG_DATA_HOME/switchboard`, `~/Library/Application Support/Switchboard` or `%APPDATA%\\Switchboard`',
    description: 'Folder of the database, settings.json and, with the file vault, its files.',
    only: ['flag', 'environment'],
  },
  host: {
    name: 'host',
    kind: text({ words: 'address', rule: 'be an IP address or a host name without port', accept: hostName }),
    fallback: '127.0.0.1',
    description: 'Address to listen on. Anything but loopback also needs `allow_lan`.',
  },
  port: {
    name: 'port',
    kind: integer({ min: 0, max: 65_535 }),
    fallback: 4780,
    description: 'Port to listen on; 0 takes any free one. A taken port is an error, never the next one.',
  },
  allowLan: {
    name: 'allow_lan',
    kind: yesOrNo,
    fallback: false,
    description: 'Lets `host` be an address that other machines can reach.',
  },
  allowedHosts: {
    name: 'allowed_hosts',
    kind: listOf(
      text({ words: 'name', rule: 'be a list of `name` or `name:port` without wildcards', accept: allowedHost }),
      'list of `name` or `name:port`',
    ),
    fallback: Object.freeze([]),
    shown: 'none',
    description: 'Names besides loopback that callers may use in the Host header, for a LAN, a proxy or a tunnel.',
  },
  publicBaseUrl: {
    name: 'public_base_url',
    kind: text({ words: 'http(s) address', rule: 'be an http(s) address without query', accept: baseUrl }),
    fallback: null,
    shown: 'the listening address',
    description: 'Address under which the outside reaches this service; links that are handed out begin with it.',
  },
  network: {
    name: 'network',
    kind: oneOf('sandbox', 'live'),
    fallback: 'sandbox',
    description: 'Network of instances created without saying which.',
  },
  vault: {
    name: 'vault',
    kind: oneOf('keychain', 'file'),
    fallback: null,
    shown: 'the keychain if it works when the home is new, else a file',
    description: 'Where a new home keeps its master key. A home never changes its vault by this setting.',
  },
  vaultPassphrase: {
    name: 'vault_passphrase',
    kind: text({ words: 'text', rule: 'have at least 8 characters', accept: passphrase }),
    fallback: systemCredential,
    shown: 'the systemd credential `switchboard-vault-passphrase`, else none',
    description: 'Locks the file vault of a new home. Without it a random key file beside the vault does.',
    only: ['environment'],
    secret: true,
  },
  ratePerMinute: {
    name: 'rate_limit_per_minute',
    kind: integer({ min: 1, max: 1_000_000 }),
    fallback: LIMITS.ratePerMinute,
    description: 'Requests per minute of a key that has no limit of its own.',
  },
  anonymousRatePerMinute: {
    name: 'anonymous_rate_limit_per_minute',
    kind: integer({ min: 1, max: 1_000_000 }),
    fallback: LIMITS.anonymousRatePerMinute,
    description: 'Requests per minute from an address without a valid key.',
  },
  slots: {
    name: 'slots',
    kind: integer({ min: 0, max: 1_000_000 }),
    fallback: 10_000,
    description: 'Instances the plan allows; sandbox and live ones each use one.',
  },
  sendTimeoutMs: {
    name: 'send_timeout_ms',
    kind: integer({ min: 100, max: LIMITS.sendTimeoutMs }),
    fallback: LIMITS.sendTimeoutMs,
    description: 'How long a send waits for the engine, in milliseconds.',
  },
  retryScheduleSeconds: {
    name: 'retry_schedule_s',
    kind: numbers(LIMITS.deliveryAttempts - 1, { min: 0, max: 604_800, whole: false }),
    fallback: Object.freeze([10, 60, 600, 2_700, 7_200, 21_600, 43_200]),
    description: 'Seconds before attempts 2 to 8 of a webhook delivery.',
  },
  sandboxTimelineMs: {
    name: 'sandbox.timeline_ms',
    // `numbers` checks the count.
    kind: numbers(4, { min: 0, max: 600_000, whole: true }) as Kind<Config['sandboxTimelineMs']>,
    fallback: Object.freeze([50, 150, 600, 2_000] as const),
    description: 'Milliseconds until a sandbox message is accepted, sent, delivered and read.',
  },
  trustedRanges: {
    name: 'egress.trusted_ranges',
    kind: listOf(
      text({ words: 'range', rule: 'be a list of CIDR ranges such as 192.168.7.0/24; /0 is refused', accept: range }),
      'list of CIDR ranges',
    ),
    fallback: Object.freeze([]),
    shown: 'none',
    description: 'Networks that are not public and that webhooks and `media_url` may lead to all the same.',
    only: ['file'],
  },
  logLevel: {
    name: 'log_level',
    kind: oneOf('debug', 'info', 'warn', 'error', 'silent'),
    fallback: 'info',
    description: 'The least severe line that is logged.',
  },
}

/**
 * Reads every setting: flags, then SWITCHBOARD_* variables, then settings.json in the home folder, then defaults.
 * @throws ConfigError naming the setting and its rule.
 */
export function readConfig(machine: Machine): Config {
  const outside = [fromFlags(SETTINGS, machine.argv), fromEnvironment(SETTINGS, machine.env)]
  const { join, resolve } = machine.platform === 'win32' ? win32 : posix
  const home = resolve(settle(SETTINGS.home, outside, machine))
  const places = [...outside, fromFile(SETTINGS, join(home, 'settings.json'), machine)]
  const settled = Object.entries(SETTINGS).map(([field, setting]) => [
    field,
    settle(setting as Setting<unknown>, places, machine),
  ])
  // SETTINGS has one entry for each field of Config, of that field's type.
  const config = { ...(Object.fromEntries(settled) as Config), home }
  refuseSilentExposure(config)
  return Object.freeze(config)
}

/** The settings as rows for people: the README's table is made from it. */
export const settingsTable = (): SettingRow[] => describe(SETTINGS)

/** Parts a command's arguments into settings, for `readConfig`, and the command's own. */
export const settingFlags = (argv: readonly string[]) => splitFlags(SETTINGS, argv)

/** The process's environment. Entries hand it to `readConfig`; nothing else reads it. */
export const processEnvironment = (): Record<string, string | undefined> => ({ ...process.env })

/** `Machine.readFile` on the real disk. */
export function readTextFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    // ENOTDIR: the home is a file; what uses the home says so.
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null
    throw new ConfigError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function refuseSilentExposure(config: Config): void {
  if (isLoopback(config.host) || config.allowLan) return
  throw new ConfigError(
    `host ${config.host} can be reached from other machines. If that is meant, add allow_lan ` +
      '(--allow-lan, SWITCHBOARD_ALLOW_LAN=true or "allow_lan": true) and name the addresses callers use in ' +
      'allowed_hosts; else remove host.',
  )
}

/** The same folder for desktop and headless. */
function defaultHome({ platform, env, homedir }: Machine): string {
  if (platform === 'win32')
    return win32.join(env['APPDATA'] || win32.join(homedir, 'AppData', 'Roaming'), 'Switchboard')
  if (platform === 'darwin') return posix.join(homedir, 'Library', 'Application Support', 'Switchboard')
  const data = env['XDG_DATA_HOME'] ?? ''
  // The XDG specification tells programs to ignore a relative path here.
  return posix.join(posix.isAbsolute(data) ? data : posix.join(homedir, '.local', 'share'), 'switchboard')
}

/** Where systemd puts what `LoadCredential=switchboard-vault-passphrase:…` names. */
function systemCredential({ env, readFile }: Machine): Secret | null {
  const folder = env['CREDENTIALS_DIRECTORY']
  const content = folder ? readFile(posix.join(folder, 'switchboard-vault-passphrase'))?.replace(/\r?\n$/, '') : ''
  return content ? new Secret(content) : null
}

function passphrase(words: string): Secret | undefined {
  return words.length >= 8 ? new Secret(words) : undefined
}

function range(words: string): string | undefined {
  return parseRange(words) ? words : undefined
}

function hostName(words: string): string | undefined {
  return isIP(words) !== 0 || /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(words) ? words.toLowerCase() : undefined
}

function allowedHost(words: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(:\d{1,5})?$/i.test(words) ? words.toLowerCase() : undefined
}

function baseUrl(words: string): string | undefined {
  const url = URL.parse(words)
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
    return undefined
  return url.href.replace(/\/+$/, '')
}
