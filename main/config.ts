import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { posix, win32 } from 'node:path'
import { LIMITS } from './contract/limits.ts'
import type { Network } from './contract/shapes.ts'
import { isLoopback, parseRange } from './kernel/address-range.ts'
import type { LogLevel } from './kernel/log.ts'
import { Secret } from './kernel/secret.ts'
import { integer, listOf, numbers, oneOf, text, boolean, type Kind } from './kernel/setting-kinds.ts'
import {
  ConfigError,
  describe,
  fromEnvironment,
  fromFile,
  fromFlags,
  originsOf,
  resolveSetting,
  splitFlags,
  type Machine,
  type Origin,
  type Setting,
  type SettingRow,
} from './kernel/settings.ts'

export { ConfigError } from './kernel/settings.ts'

/** Every setting of the service. */
interface Values {
  readonly home: string
  readonly host: string
  readonly port: number
  readonly allowLan: boolean
  readonly allowedHosts: readonly string[]
  /** CIDR ranges of proxies in front of this service. */
  readonly trustedProxies: readonly string[]
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
  /** Base address of Meta's Graph API, or `sandbox` for the simulator that the service starts. */
  readonly graphBaseUrl: string
  readonly graphVersion: string
  /** The operator's own app at Meta; null: its signup is not offered. */
  readonly metaAppId: string | null
  readonly metaAppSecret: Secret | null
  readonly metaConfigId: string | null
  readonly sandboxGraphPort: number
  /** Version of WhatsApp's protocol; null: the one that is known to work. */
  readonly protocolVersion: string | null
  /** How long files that people sent are kept. */
  readonly mediaKeepDays: number
  /** CIDR ranges that webhooks and media may lead to although they are not public. */
  readonly trustedRanges: readonly string[]
  readonly backups: 'hourly' | 'off'
  /** In megabytes of a million bytes, as all of these. */
  readonly reserveMb: number
  readonly warnBelowMb: number
  readonly refuseBelowMb: number
  readonly logLevel: LogLevel
  readonly logFileMb: number
  readonly logFiles: number
}

/** The settings, read once at start and frozen, and where each was written. */
export interface Config extends Values {
  readonly origins: ReadonlyMap<string, Origin>
}

/** Each setting under the field that holds it. */
export const SETTINGS: { readonly [K in keyof Values]: Setting<Values[K]> } = {
  home: {
    name: 'home',
    kind: text({ words: 'folder', rule: 'be the path of a folder', accept: (path) => path || undefined }),
    fallback: defaultHome,
    defaultText:
      '`$XDG_DATA_HOME/switchboard`, `~/Library/Application Support/Switchboard` or `%APPDATA%\\Switchboard`',
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
    window: 'restart',
  },
  allowLan: {
    name: 'allow_lan',
    kind: boolean,
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
    defaultText: 'none',
    description: 'Names besides loopback that callers may use in the Host header, for a LAN, a proxy or a tunnel.',
  },
  trustedProxies: {
    name: 'trusted_proxies',
    kind: listOf(
      text({ words: 'range', rule: 'be a list of CIDR ranges such as 192.168.7.0/24; /0 is refused', accept: range }),
      'list of CIDR ranges',
    ),
    fallback: Object.freeze([]),
    defaultText: 'none',
    description:
      'Reverse proxies in front of this service. On connections from them, X-Forwarded-For tells callers apart for the rate limit of anonymous requests. For a proxy on this machine add `127.0.0.1/32`.',
  },
  publicBaseUrl: {
    name: 'public_base_url',
    kind: text({ words: 'http(s) address', rule: 'be an http(s) address without query', accept: baseUrl }),
    fallback: null,
    defaultText: 'the listening address',
    description: 'Address under which the outside reaches this service; links that are handed out begin with it.',
    window: 'restart',
  },
  network: {
    name: 'network',
    kind: oneOf('sandbox', 'live'),
    fallback: 'sandbox',
    description: 'Network of instances created without saying which.',
    window: 'now',
  },
  vault: {
    name: 'vault',
    kind: oneOf('keychain', 'file'),
    fallback: null,
    defaultText: 'the keychain if it works when the home is new, else a file',
    description: 'Where a new home keeps its master key. A home never changes its vault by this setting.',
  },
  vaultPassphrase: {
    name: 'vault_passphrase',
    kind: text({ words: 'text', rule: 'have at least 8 characters', accept: passphrase }),
    fallback: systemCredential,
    defaultText: 'the systemd credential `switchboard-vault-passphrase`, else none',
    description: 'Locks the file vault of a new home. Without it a random key file beside the vault does.',
    only: ['environment'],
    secret: true,
  },
  ratePerMinute: {
    name: 'rate_limit_per_minute',
    kind: integer({ min: 1, max: 1_000_000 }),
    fallback: LIMITS.ratePerMinute,
    description: 'Requests per minute of a key that has no limit of its own.',
    window: 'now',
  },
  anonymousRatePerMinute: {
    name: 'anonymous_rate_limit_per_minute',
    kind: integer({ min: 1, max: 1_000_000 }),
    fallback: LIMITS.anonymousRatePerMinute,
    description: 'Requests per minute from an address without a valid key.',
    window: 'now',
  },
  slots: {
    name: 'slots',
    kind: integer({ min: 0, max: 1_000_000 }),
    fallback: 10_000,
    description: 'Instances the plan allows; sandbox and live ones each use one.',
    window: 'now',
  },
  sendTimeoutMs: {
    name: 'send_timeout_ms',
    kind: integer({ min: 100, max: LIMITS.sendTimeoutMs }),
    fallback: LIMITS.sendTimeoutMs,
    description: 'How long a send waits for the engine, in milliseconds.',
    window: 'restart',
  },
  retryScheduleSeconds: {
    name: 'retry_schedule_s',
    kind: numbers(LIMITS.deliveryAttempts - 1, { min: 0, max: 604_800, whole: false }),
    fallback: Object.freeze([10, 60, 600, 2_700, 7_200, 21_600, 43_200]),
    description: 'Seconds before attempts 2 to 8 of a webhook delivery.',
    window: 'restart',
  },
  sandboxTimelineMs: {
    name: 'sandbox.timeline_ms',
    // `numbers` checks the count.
    kind: numbers(4, { min: 0, max: 600_000, whole: true }) as Kind<Values['sandboxTimelineMs']>,
    fallback: Object.freeze([50, 150, 600, 2_000] as const),
    description: 'Milliseconds until a sandbox message is accepted, sent, delivered and read.',
  },
  graphBaseUrl: {
    name: 'official.graph_base_url',
    kind: text({
      words: 'https address or `sandbox`',
      rule: 'be an https address without query, or sandbox',
      accept: graphUrl,
    }),
    fallback: 'https://graph.facebook.com',
    description:
      'Where live `official` instances find the Graph API of Meta. `sandbox` starts a simulator of it on this machine, for tests: nobody real is reached then.',
  },
  graphVersion: {
    name: 'official.graph_version',
    kind: text({ words: 'version', rule: 'be a version such as v26.0', accept: graphVersion }),
    fallback: 'v26.0',
    description: 'Version of the Graph API. Meta ends each about two years after it came.',
  },
  metaAppId: {
    name: 'official.app_id',
    kind: text({ words: 'digits', rule: 'be the digits of an app id', accept: metaId }),
    fallback: null,
    defaultText: 'none',
    description:
      "Your own app at Meta, if you are a Tech Provider there. With `app_secret`, `config_id` and `public_base_url`, the onboarding page offers Meta's own signup.",
  },
  metaAppSecret: {
    name: 'official.app_secret',
    kind: text({ words: '32 characters', rule: 'be 32 characters, 0 to 9 and a to f', accept: appSecret }),
    fallback: null,
    defaultText: 'none',
    description: 'Secret of that app.',
    only: ['environment'],
    secret: true,
  },
  metaConfigId: {
    name: 'official.config_id',
    kind: text({ words: 'digits', rule: 'be the digits of a configuration id', accept: metaId }),
    fallback: null,
    defaultText: 'none',
    description: 'Configuration of “Facebook Login for Business” in that app.',
  },
  sandboxGraphPort: {
    name: 'sandbox.graph_port',
    kind: integer({ min: 0, max: 65_535 }),
    fallback: 0,
    description: 'Port of the simulated Graph API, when it is started; 0 takes any free one.',
  },
  protocolVersion: {
    name: 'smv2.version',
    kind: text({ words: 'version', rule: 'be a version such as 2.3000.1043857760', accept: protocolVersion }),
    fallback: null,
    defaultText: 'the one this release came with, or that WhatsApp has named since',
    description: "Version of WhatsApp's protocol that live `smv2` instances speak. WhatsApp refuses old ones some day.",
  },
  mediaKeepDays: {
    name: 'media.keep_days',
    kind: integer({ min: 1, max: 3_650 }),
    fallback: 30,
    description: 'Days that files which people sent to live `smv2` instances are kept, in `media/` of the home folder.',
    window: 'now',
  },
  trustedRanges: {
    name: 'egress.trusted_ranges',
    kind: listOf(
      text({ words: 'range', rule: 'be a list of CIDR ranges such as 192.168.7.0/24; /0 is refused', accept: range }),
      'list of CIDR ranges',
    ),
    fallback: Object.freeze([]),
    defaultText: 'none',
    description: 'Networks that are not public and that webhooks and `media_url` may lead to all the same.',
    only: ['file'],
  },
  backups: {
    name: 'backups',
    kind: oneOf('hourly', 'off'),
    fallback: 'hourly',
    description:
      'Whether the database is copied every hour: the last 24 copies are kept, and one of each of seven days.',
    window: 'now',
  },
  reserveMb: {
    name: 'storage.reserve_mb',
    kind: integer({ min: 0, max: 100_000 }),
    fallback: 64,
    description:
      'Megabytes kept on the disk for the moment in which it is full: with them, what is under way ends well. 0 keeps none.',
  },
  warnBelowMb: {
    name: 'storage.warn_below_mb',
    kind: integer({ min: 0, max: 1_000_000 }),
    fallback: 500,
    description: 'Megabytes free on the disk of the home folder below which a warning is shown.',
  },
  refuseBelowMb: {
    name: 'storage.refuse_below_mb',
    kind: integer({ min: 0, max: 1_000_000 }),
    fallback: 200,
    description:
      'Megabytes free below which nothing new is taken (503 `storage_full`) and webhooks wait, until there is room again.',
  },
  logLevel: {
    name: 'log_level',
    kind: oneOf('debug', 'info', 'warn', 'error', 'silent'),
    fallback: 'info',
    description: 'The least severe line that is logged.',
    window: 'restart',
  },
  logFileMb: {
    name: 'log.file_mb',
    kind: integer({ min: 1, max: 1_000 }),
    fallback: 10,
    description: 'Megabytes of a log file in the folder `logs` of the home folder; then the next one is begun.',
  },
  logFiles: {
    name: 'log.files',
    kind: integer({ min: 0, max: 100 }),
    fallback: 5,
    description: 'How many log files are kept. 0 writes none; what is logged is on standard error in any case.',
  },
}

/**
 * Reads every setting: flags, then SWITCHBOARD_* variables, then settings.json in the home folder, then defaults.
 * @throws ConfigError naming the setting and its rule.
 */
export function readConfig(machine: Machine): Config {
  const outside = [fromFlags(SETTINGS, machine.argv), fromEnvironment(SETTINGS, machine.env)]
  const { join, resolve } = machine.platform === 'win32' ? win32 : posix
  const home = resolve(resolveSetting(SETTINGS.home, outside, machine))
  const places = [...outside, fromFile(SETTINGS, join(home, 'settings.json'), machine)]
  const settled = Object.entries(SETTINGS).map(([field, setting]) => [
    field,
    resolveSetting(setting as Setting<unknown>, places, machine),
  ])
  // SETTINGS has one entry for each field of Values, of that field's type.
  const config = { ...(Object.fromEntries(settled) as Values), home, origins: originsOf(SETTINGS, places) }
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

/** Plain http would carry tokens in the clear; the simulator, which alone is asked so, is named and not addressed. */
function graphUrl(words: string): string | undefined {
  if (words === 'sandbox') return words
  return words.startsWith('https://') ? baseUrl(words) : undefined
}

function graphVersion(words: string): string | undefined {
  return /^v\d{1,3}\.\d$/.test(words) ? words : undefined
}

function protocolVersion(words: string): string | undefined {
  return /^\d{1,2}\.\d{1,5}\.\d{1,12}$/.test(words) ? words : undefined
}

function metaId(words: string): string | undefined {
  return /^\d{5,30}$/.test(words) ? words : undefined
}

function appSecret(words: string): Secret | undefined {
  return /^[0-9a-f]{32}$/i.test(words) ? new Secret(words) : undefined
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
