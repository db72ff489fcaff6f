import { readFileSync } from 'node:fs'
import { posix, win32 } from 'node:path'
import { agencySettings } from './capabilities/agency/operator-settings.ts'
import { ghlSettings } from './capabilities/crm/ghl/operator-settings.ts'
import { instanceSettings } from './capabilities/instances/operator-settings.ts'
import { messageSettings } from './capabilities/messages/operator-settings.ts'
import { safetySettings } from './capabilities/safety/operator-settings.ts'
import { webhookSettings } from './capabilities/webhooks/operator-settings.ts'
import { LIMITS } from './contract/limits.ts'
import { officialSettings } from './engines/official/operator-settings.ts'
import { sandboxSettings } from './engines/sandbox/operator-settings.ts'
import { smv2Settings } from './engines/smv2/operator-settings.ts'
import { isLoopback } from './kernel/address-range.ts'
import { boolean, integer, listOf, oneOf, text } from './kernel/setting-kinds.ts'
import { baseUrl, hostName, range } from './kernel/setting-texts.ts'
import {
  ConfigError,
  defineSettings,
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
  type ValuesOf,
} from './kernel/settings.ts'
import { outboundSettings } from './outbound/operator-settings.ts'
import { simulatorSettings } from './simulators/operator-settings.ts'
import { storageSettings } from './storage/operator-settings.ts'
import { vaultSettings } from './vault/operator-settings.ts'
import { voiceSettings } from './voice/operator-settings.ts'

export { ConfigError } from './kernel/settings.ts'

/** Where and for whom the service listens. */
const listenSettings = defineSettings({
  home: {
    name: 'home',
    kind: text({ words: 'folder', rule: 'be the path of a folder', accept: (path) => path || undefined }),
    fallback: defaultHome,
    defaultText:
      '`$XDG_DATA_HOME/switchboard`, `~/Library/Application Support/Switchboard` or `%APPDATA%\\Switchboard`',
    description: 'Folder for the database, settings.json and, if the file vault is used, its files.',
    only: ['flag', 'environment'],
  },
  host: {
    name: 'host',
    kind: text({ words: 'address', rule: 'be an IP address or a host name, without a port', accept: hostName }),
    fallback: '127.0.0.1',
    description: 'Address to listen on. Any non-loopback address also needs `allow_lan`.',
  },
  port: {
    name: 'port',
    kind: integer({ min: 0, max: 65_535 }),
    fallback: 4780,
    description: 'Port to listen on; 0 picks a free one. If the port is in use, startup fails.',
    window: 'restart',
  },
  allowLan: {
    name: 'allow_lan',
    kind: boolean,
    fallback: false,
    description: 'Allows `host` to be an address other machines can reach.',
  },
  allowedHosts: {
    name: 'allowed_hosts',
    kind: listOf(
      text({ words: 'name', rule: 'be a list of `name` or `name:port` without wildcards', accept: allowedHost }),
      'list of `name` or `name:port`',
    ),
    fallback: Object.freeze([]),
    defaultText: 'none',
    description: 'Host names, besides loopback, that requests may use. Needed for a LAN, a proxy or a tunnel.',
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
      'Reverse proxies in front of this service. On connections from them, X-Forwarded-For identifies callers for limits by network: anonymous requests, and open connections. For a proxy on this machine add `127.0.0.1/32`.',
  },
  publicBaseUrl: {
    name: 'public_base_url',
    kind: text({ words: 'http(s) URL', rule: 'be an http or https URL without a query', accept: baseUrl }),
    fallback: null,
    defaultText: 'the listening address',
    description: 'URL where the outside world reaches this service. Links shared with others start with it.',
    window: 'restart',
  },
  ratePerMinute: {
    name: 'rate_limit_per_minute',
    kind: integer({ min: 1, max: 1_000_000 }),
    fallback: LIMITS.ratePerMinute,
    description: 'Requests per minute for keys without their own limit.',
    window: 'now',
  },
  anonymousRatePerMinute: {
    name: 'anonymous_rate_limit_per_minute',
    kind: integer({ min: 1, max: 1_000_000 }),
    fallback: LIMITS.anonymousRatePerMinute,
    description: 'Requests per minute from one address without a valid key.',
    window: 'now',
  },
})

const logSettings = defineSettings({
  logLevel: {
    name: 'log_level',
    kind: oneOf('debug', 'info', 'warn', 'error', 'silent'),
    fallback: 'info',
    description: 'Minimum severity to log.',
    window: 'restart',
  },
  logFileMb: {
    name: 'log.file_mb',
    kind: integer({ min: 1, max: 1_000 }),
    fallback: 10,
    description: 'Maximum size in megabytes of a log file in `logs/` in the home folder before it rotates.',
  },
  logFiles: {
    name: 'log.files',
    kind: integer({ min: 0, max: 100 }),
    fallback: 5,
    description: 'How many log files to keep. 0 disables them. Logs always go to standard error too.',
  },
})

/** Every setting of the service. Each is declared in the room that reads it. */
export const SETTINGS = {
  ...listenSettings,
  ...vaultSettings,
  ...instanceSettings,
  ...agencySettings,
  ...messageSettings,
  ...webhookSettings,
  ...sandboxSettings,
  ...simulatorSettings,
  ...officialSettings,
  ...ghlSettings,
  ...smv2Settings,
  ...safetySettings,
  ...voiceSettings,
  ...outboundSettings,
  ...storageSettings,
  ...logSettings,
}

type Values = ValuesOf<typeof SETTINGS>

/** The settings, read once at start and frozen, with the source of each. */
export interface Config extends Values {
  readonly origins: ReadonlyMap<string, Origin>
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
  const config = { ...(Object.fromEntries(settled) as Values), home, origins: originsOf(SETTINGS, places) }
  refuseSilentExposure(config)
  return Object.freeze(config)
}

/** Rows of the README's table of settings. */
export const settingsTable = (): SettingRow[] => describe(SETTINGS)

/** Splits a command's arguments into settings, for `readConfig`, and the command's own. */
export const settingFlags = (argv: readonly string[]) => splitFlags(SETTINGS, argv)

/** The only read of process.env. */
export const processEnvironment = (): Record<string, string | undefined> => ({ ...process.env })

export function readTextFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    // ENOTDIR: the home is a file, which is reported where the home is opened.
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null
    if (error instanceof Error && 'code' in error && error.code === 'EACCES')
      throw new ConfigError(`This user can't read ${path}. Start Switchboard as the user it belongs to.`)
    throw new ConfigError(`Can't read ${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function refuseSilentExposure(config: Config): void {
  if (isLoopback(config.host) || config.allowLan) return
  throw new ConfigError(
    `Other machines can reach host ${config.host}. If you want that, set allow_lan (--allow-lan, ` +
      'SWITCHBOARD_ALLOW_LAN=true or "allow_lan": true) and list the host names callers use in allowed_hosts. ' +
      'Otherwise remove host.',
  )
}

/** Shared by desktop and headless. */
function defaultHome({ platform, env, homedir }: Machine): string {
  if (platform === 'win32')
    return win32.join(env['APPDATA'] || win32.join(homedir, 'AppData', 'Roaming'), 'Switchboard')
  if (platform === 'darwin') return posix.join(homedir, 'Library', 'Application Support', 'Switchboard')
  const data = env['XDG_DATA_HOME'] ?? ''
  // The XDG specification tells programs to ignore a relative path here.
  return posix.join(posix.isAbsolute(data) ? data : posix.join(homedir, '.local', 'share'), 'switchboard')
}

function allowedHost(words: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(:\d{1,5})?$/i.test(words) ? words.toLowerCase() : undefined
}
