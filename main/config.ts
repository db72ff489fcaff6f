import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { posix, win32 } from 'node:path'
import { LIMITS } from './contract/limits.ts'
import type { Network } from './contract/shapes.ts'
import { isLoopback, parseRange } from './kernel/address-range.ts'
import type { LogLevel } from './kernel/log.ts'
import { Secret } from './kernel/secret.ts'
import { readTimeZone } from './kernel/time-zone.ts'
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
  /** null: a new home uses the keychain if it works, otherwise a file, and never changes that. */
  readonly vault: 'keychain' | 'file' | null
  readonly vaultPassphrase: Secret | null
  readonly ratePerMinute: number
  readonly anonymousRatePerMinute: number
  readonly slots: number
  readonly agencyOvercommit: boolean
  readonly sendTimeoutMs: number
  /** Waits before attempts 2 to 8 of a webhook delivery. */
  readonly retryScheduleSeconds: readonly number[]
  /** Delays until a sandbox message is accepted, sent, delivered and read. */
  readonly sandboxTimelineMs: readonly [accepted: number, sent: number, delivered: number, read: number]
  /** Base URL of Meta's Graph API, or `sandbox` for the built-in simulator. */
  readonly graphBaseUrl: string
  readonly graphVersion: string
  /** The operator's Meta app; null: Meta's signup is not offered. */
  readonly metaAppId: string | null
  readonly metaAppSecret: Secret | null
  readonly metaConfigId: string | null
  readonly sandboxGraphPort: number
  readonly sandboxModelPort: number
  /** Base URL of GoHighLevel's API, or `sandbox`: live instances use the built-in simulator too. */
  readonly ghlBaseUrl: string
  /** Where people allow the app. */
  readonly ghlMarketplaceUrl: string
  /** The operator's marketplace app; null: live instances are connected with a token only. */
  readonly ghlClientId: string | null
  readonly ghlClientSecret: Secret | null
  readonly ghlProviderId: string | null
  /** Ed25519, PEM or base64. */
  readonly ghlPublicKey: string | null
  /** Calls in ten seconds that a location of the simulator may make. */
  readonly sandboxGhlBurst: number
  /** WhatsApp protocol version; null: the newest one known to work. */
  readonly protocolVersion: string | null
  readonly mediaKeepDays: number
  /** How fast a live smv2 number sends; 0: as fast as it can. */
  readonly pacePerMinute: number
  readonly paceBurst: number
  readonly paceChatPerMinute: number
  readonly paceChatBurst: number
  readonly paceSpacingMs: number
  readonly mediaWaitSeconds: number
  /** What campaigns and AI agents may send from a live number. */
  readonly safetyDailyLimit: number
  readonly safetyHourlyLimit: number
  readonly safetySpacingSeconds: number
  readonly safetyWarmupDays: number
  /** Messages a day in each third of the warm-up. */
  readonly safetyWarmupLimits: readonly number[]
  readonly safetyFirstContacts: number
  readonly safetyFirstContactsNew: number
  readonly safetyFirstContactsDays: number
  readonly safetyWithheldPercent: number
  readonly safetyTimezone: string
  /** How much faster than real calls those of the sandbox run. */
  readonly voiceSandboxSpeed: number
  /** The mail server; null: mails are kept in the mail sandbox. */
  readonly smtpHost: string | null
  readonly smtpPort: number
  readonly smtpSecurity: 'tls' | 'starttls' | 'none'
  readonly smtpUser: string | null
  readonly smtpPassword: Secret | null
  readonly smtpFrom: string
  /** Private CIDR ranges that webhooks and media URLs may point to. */
  readonly trustedRanges: readonly string[]
  readonly backups: 'hourly' | 'off'
  /** Megabytes are millions of bytes here and below. */
  readonly reserveMb: number
  readonly warnBelowMb: number
  readonly refuseBelowMb: number
  readonly logLevel: LogLevel
  readonly logFileMb: number
  readonly logFiles: number
}

/** The settings, read once at start and frozen, with the source of each. */
export interface Config extends Values {
  readonly origins: ReadonlyMap<string, Origin>
}

const EXPERIENCE = 'A value from community experience, not a WhatsApp rule.'

export const SETTINGS: { readonly [K in keyof Values]: Setting<Values[K]> } = {
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
  network: {
    name: 'network',
    kind: oneOf('sandbox', 'live'),
    fallback: 'sandbox',
    description: 'Default network for new instances.',
    window: 'now',
  },
  vault: {
    name: 'vault',
    kind: oneOf('keychain', 'file'),
    fallback: null,
    defaultText: 'the keychain if it works on first start, otherwise a file',
    description: 'Where a new home stores its master key. Has no effect on an existing home.',
  },
  vaultPassphrase: {
    name: 'vault_passphrase',
    kind: text({ words: 'text', rule: 'have at least 8 characters', accept: passphrase }),
    fallback: systemCredential,
    defaultText: 'the systemd credential `switchboard-vault-passphrase`, otherwise none',
    description:
      'Passphrase for the file vault of a new home. Without one, a random key file next to the vault is used.',
    only: ['environment'],
    secret: true,
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
  slots: {
    name: 'slots',
    kind: integer({ min: 0, max: 1_000_000 }),
    fallback: 10_000,
    description: 'Maximum number of instances, sandbox and live together.',
    window: 'now',
  },
  agencyOvercommit: {
    name: 'agency.overcommit',
    kind: boolean,
    fallback: false,
    description:
      'Sub-accounts may be given more slots than there are. A new instance then also needs a slot that nobody uses.',
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
    description: 'Delays in seconds before attempts 2 to 8 of a webhook delivery.',
    window: 'restart',
  },
  sandboxTimelineMs: {
    name: 'sandbox.timeline_ms',
    // `numbers` checks the count.
    kind: numbers(4, { min: 0, max: 600_000, whole: true }) as Kind<Values['sandboxTimelineMs']>,
    fallback: Object.freeze([50, 150, 600, 2_000] as const),
    description: 'Delays in milliseconds until a sandbox message is accepted, sent, delivered and read.',
  },
  graphBaseUrl: {
    name: 'official.graph_base_url',
    kind: text({
      words: 'https URL or `sandbox`',
      rule: 'be an https URL without a query, or sandbox',
      accept: httpsOrSandbox,
    }),
    fallback: 'https://graph.facebook.com',
    description:
      "URL of Meta's Graph API for live `official` instances. `sandbox` starts a simulator on this machine for tests; no real messages are sent.",
  },
  graphVersion: {
    name: 'official.graph_version',
    kind: text({ words: 'version', rule: 'be a version such as v26.0', accept: matching(/^v\d{1,3}\.\d$/) }),
    fallback: 'v26.0',
    description:
      'Graph API version. Meta ends each version two years after the next one; Overview and the doctor say so 90 days before.',
  },
  metaAppId: {
    name: 'official.app_id',
    kind: text({ words: 'digits', rule: 'be the numeric ID of your Meta app', accept: matching(/^\d{5,30}$/) }),
    fallback: null,
    defaultText: 'none',
    description:
      "ID of your Meta app, if you are a Tech Provider. Together with `app_secret`, `config_id` and `public_base_url`, it adds Meta's own signup to the onboarding page.",
  },
  metaAppSecret: {
    name: 'official.app_secret',
    kind: text({ words: '32 characters', rule: 'be 32 characters, 0 to 9 and a to f', accept: appSecret }),
    fallback: null,
    defaultText: 'none',
    description: 'Secret of your Meta app.',
    only: ['environment'],
    secret: true,
  },
  metaConfigId: {
    name: 'official.config_id',
    kind: text({ words: 'digits', rule: 'be the numeric ID of the configuration', accept: matching(/^\d{5,30}$/) }),
    fallback: null,
    defaultText: 'none',
    description: 'ID of the “Facebook Login for Business” configuration in your Meta app.',
  },
  sandboxGraphPort: {
    name: 'sandbox.graph_port',
    kind: integer({ min: 0, max: 65_535 }),
    fallback: 0,
    description: 'Port of the simulated Graph API; 0 picks a free one.',
  },
  sandboxModelPort: {
    name: 'sandbox.model_port',
    kind: integer({ min: 0, max: 65_535 }),
    fallback: 0,
    description: 'Port of the sandbox model; 0 picks a free one.',
  },
  ghlBaseUrl: {
    name: 'ghl.base_url',
    kind: text({
      words: 'https URL or `sandbox`',
      rule: 'be an https URL without a query, or sandbox',
      accept: httpsOrSandbox,
    }),
    fallback: 'https://services.leadconnectorhq.com',
    description:
      "URL of GoHighLevel's API for live instances. `sandbox` connects them with the simulator on this machine; sandbox instances always are.",
  },
  ghlMarketplaceUrl: {
    name: 'ghl.marketplace_url',
    kind: text({ words: 'https URL', rule: 'be an https URL without a query', accept: httpsUrl }),
    fallback: 'https://marketplace.gohighlevel.com',
    description:
      'Where people allow your app. Agencies with a white label use https://marketplace.leadconnectorhq.com.',
  },
  ghlClientId: {
    name: 'ghl.client_id',
    kind: text({ words: 'id', rule: 'be the client ID of your app', accept: matching(/^[A-Za-z0-9-]{10,100}$/) }),
    fallback: null,
    defaultText: 'none',
    description:
      'Client ID of your app in the HighLevel marketplace. With `ghl.client_secret`, live instances can be connected by consent.',
  },
  ghlClientSecret: {
    name: 'ghl.client_secret',
    kind: text({ words: 'text', rule: 'have at least 8 characters', accept: passphrase }),
    fallback: null,
    defaultText: 'none',
    description: 'Client secret of your app in the HighLevel marketplace.',
    only: ['environment'],
    secret: true,
  },
  ghlProviderId: {
    name: 'ghl.provider_id',
    kind: text({
      words: 'id',
      rule: 'be the id of a conversation provider',
      accept: matching(/^[A-Za-z0-9_-]{5,64}$/),
    }),
    fallback: null,
    defaultText: 'none: the default SMS channel',
    description:
      'ID of the conversation provider (type SMS) of your app. Its delivery URL ends with /callbacks/ghl/outbound.',
  },
  ghlPublicKey: {
    name: 'ghl.public_key',
    kind: text({ words: 'key', rule: 'be an Ed25519 public key in PEM, base64 or hex', accept: publicKey }),
    fallback: null,
    defaultText: 'none: nothing that GoHighLevel posts is accepted',
    description:
      'Public key with which HighLevel signs webhooks (x-ghl-signature), from its Webhook Integration Guide.',
  },
  sandboxGhlBurst: {
    name: 'sandbox.ghl_burst',
    kind: integer({ min: 1, max: 1_000_000 }),
    fallback: 100,
    description: 'Calls in ten seconds that the simulated GoHighLevel takes from a location before it answers 429.',
  },
  protocolVersion: {
    name: 'smv2.version',
    kind: text({
      words: 'version',
      rule: 'be a version such as 2.3000.1043857760',
      accept: matching(/^\d{1,2}\.\d{1,5}\.\d{1,12}$/),
    }),
    fallback: null,
    defaultText: 'the version this release shipped with, or a newer one announced by WhatsApp',
    description: 'WhatsApp protocol version for live `smv2` instances. WhatsApp eventually rejects old versions.',
  },
  mediaKeepDays: {
    name: 'media.keep_days',
    kind: integer({ min: 1, max: 3_650 }),
    fallback: 30,
    description: 'How many days files received by live `smv2` instances are kept in `files/` in the home folder.',
    window: 'now',
  },
  pacePerMinute: {
    name: 'pace.per_minute',
    kind: integer({ min: 0, max: 600 }),
    fallback: 30,
    description:
      'Messages per minute that a live `smv2` number sends on average. Sends wait for their turn; one that would wait too long is answered 429. 0 turns pacing off.',
    window: 'now',
  },
  paceBurst: {
    name: 'pace.burst',
    kind: integer({ min: 1, max: 100 }),
    fallback: 10,
    description: 'Messages a live `smv2` number may send ahead of that pace after a pause.',
    window: 'now',
  },
  paceChatPerMinute: {
    name: 'pace.chat_per_minute',
    kind: integer({ min: 1, max: 600 }),
    fallback: 20,
    description: 'The same as `pace.per_minute` for a single chat.',
    window: 'now',
  },
  paceChatBurst: {
    name: 'pace.chat_burst',
    kind: integer({ min: 1, max: 100 }),
    fallback: 5,
    description: 'The same as `pace.burst` for a single chat.',
    window: 'now',
  },
  paceSpacingMs: {
    name: 'pace.spacing_ms',
    kind: integer({ min: 0, max: 5_000 }),
    fallback: 500,
    description:
      'Shortest time in milliseconds between two messages of a live `smv2` number. The actual time is random, up to twice as long.',
    window: 'now',
  },
  mediaWaitSeconds: {
    name: 'media.wait_seconds',
    kind: integer({ min: 0, max: 600 }),
    fallback: 20,
    description:
      'How long `message.received` of a live `smv2` instance waits for its file. After that it is sent with `media.pending: true`, and the file is fetched later or when it is requested.',
    window: 'now',
  },
  safetyDailyLimit: {
    name: 'safety.daily_limit',
    kind: integer({ min: 1, max: 100_000 }),
    fallback: 1_000,
    description: `Messages per day from a live \`smv2\` number after its warm-up. Sends from the API are included and never held back. ${EXPERIENCE}`,
    window: 'now',
  },
  safetyHourlyLimit: {
    name: 'safety.hourly_limit',
    kind: integer({ min: 1, max: 10_000 }),
    fallback: 80,
    description: `Messages per hour from a live \`smv2\` number, counted like \`safety.daily_limit\`. ${EXPERIENCE}`,
    window: 'now',
  },
  safetySpacingSeconds: {
    name: 'safety.spacing_s',
    kind: integer({ min: 0, max: 3_600 }),
    fallback: 5,
    description: `Shortest time in seconds between two messages that campaigns and AI agents send from the same live \`smv2\` number. ${EXPERIENCE}`,
    window: 'now',
  },
  safetyWarmupDays: {
    name: 'safety.warmup_days',
    kind: integer({ min: 0, max: 365 }),
    fallback: 10,
    description: `Days after its first pairing during which a live \`smv2\` number sends less. 0 turns the warm-up off. ${EXPERIENCE}`,
    window: 'now',
  },
  safetyWarmupLimits: {
    name: 'safety.warmup_limits',
    kind: numbers(3, { min: 1, max: 100_000, whole: true }),
    fallback: Object.freeze([50, 200, 500]),
    description: `Messages per day in the first, second and last third of the warm-up. ${EXPERIENCE}`,
    window: 'now',
  },
  safetyFirstContacts: {
    name: 'safety.first_contacts',
    kind: integer({ min: 0, max: 100_000 }),
    fallback: 200,
    description: `People per day that campaigns and AI agents may write to for the first time from a live \`smv2\` number. ${EXPERIENCE}`,
    window: 'now',
  },
  safetyFirstContactsNew: {
    name: 'safety.first_contacts_new',
    kind: integer({ min: 0, max: 100_000 }),
    fallback: 20,
    description: `The same on the day a number is paired. It rises to \`safety.first_contacts\` over \`safety.first_contacts_days\`. ${EXPERIENCE}`,
    window: 'now',
  },
  safetyFirstContactsDays: {
    name: 'safety.first_contacts_days',
    kind: integer({ min: 0, max: 365 }),
    fallback: 30,
    description: `Days until a live \`smv2\` number reaches \`safety.first_contacts\`. ${EXPERIENCE}`,
    window: 'now',
  },
  safetyWithheldPercent: {
    name: 'safety.withheld_percent',
    kind: integer({ min: 1, max: 100 }),
    fallback: 10,
    description: `A live \`official\` number starts no new chats while Meta withholds at least this share of its messages of the last 24 hours (error 131049). ${EXPERIENCE}`,
    window: 'now',
  },
  safetyTimezone: {
    name: 'safety.timezone',
    kind: text({ words: 'time zone', rule: 'be a time zone such as America/Sao_Paulo', accept: readTimeZone }),
    fallback: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    defaultText: 'the time zone of this machine',
    description: 'Time zone in which the days and hours of these limits begin.',
    window: 'now',
  },
  voiceSandboxSpeed: {
    name: 'sandbox.voice_speed',
    kind: integer({ min: 1, max: 20 }),
    fallback: 1,
    description:
      'How many times faster than real calls those of the sandbox run, for tests. Recordings keep their length.',
    window: 'now',
  },
  smtpHost: {
    name: 'smtp.host',
    kind: text({ words: 'host name', rule: 'be a host name without a port', accept: hostName }),
    fallback: null,
    defaultText: 'none: mails are kept in the mail sandbox and reach nobody',
    description: 'Mail server for summaries of calls.',
    window: 'restart',
  },
  smtpPort: {
    name: 'smtp.port',
    kind: integer({ min: 1, max: 65_535 }),
    fallback: 587,
    description: 'Port of the mail server.',
    window: 'restart',
  },
  smtpSecurity: {
    name: 'smtp.security',
    kind: oneOf('starttls', 'tls', 'none'),
    fallback: 'starttls',
    description: 'How the connection to the mail server is encrypted. Use `none` for a server on this machine only.',
    window: 'restart',
  },
  smtpUser: {
    name: 'smtp.user',
    kind: text({ words: 'text', rule: 'be a user name', accept: (user) => user || undefined }),
    fallback: null,
    defaultText: 'none: without signing in',
    description: 'User name at the mail server.',
    window: 'restart',
  },
  smtpPassword: {
    name: 'smtp.password',
    kind: text({
      words: 'text',
      rule: 'not be empty',
      accept: (password) => (password ? new Secret(password) : undefined),
    }),
    fallback: null,
    defaultText: 'none',
    description: 'Password at the mail server.',
    only: ['environment'],
    secret: true,
  },
  smtpFrom: {
    name: 'smtp.from',
    kind: text({ words: 'address', rule: 'be a mail address', accept: matching(/^[^\s@<>]+@[^\s@<>]+$/) }),
    fallback: 'switchboard@localhost',
    description: 'Sender of mails.',
    window: 'restart',
  },
  trustedRanges: {
    name: 'egress.trusted_ranges',
    kind: listOf(
      text({ words: 'range', rule: 'be a list of CIDR ranges such as 192.168.7.0/24, none of them /0', accept: range }),
      'list of CIDR ranges',
    ),
    fallback: Object.freeze([]),
    defaultText: 'none',
    description:
      'Private addresses that Switchboard may connect to for every account, such as `127.0.0.1/32` for a receiver on this machine: for webhooks, `media_url`, HTTP tools, CRM addresses, link previews and proxies. Name single addresses, not your whole network: your clients can use them too.',
    only: ['file'],
  },
  backups: {
    name: 'backups',
    kind: oneOf('hourly', 'off'),
    fallback: 'hourly',
    description: 'Hourly database backups. Keeps the last 24, plus one per day for seven days.',
    window: 'now',
  },
  reserveMb: {
    name: 'storage.reserve_mb',
    kind: integer({ min: 0, max: 100_000 }),
    fallback: 64,
    description:
      'Megabytes reserved on disk, released when the disk is full so work in progress can finish. 0 reserves none.',
  },
  warnBelowMb: {
    name: 'storage.warn_below_mb',
    kind: integer({ min: 0, max: 1_000_000 }),
    fallback: 500,
    description: 'Free megabytes below which a warning is shown.',
  },
  refuseBelowMb: {
    name: 'storage.refuse_below_mb',
    kind: integer({ min: 0, max: 1_000_000 }),
    fallback: 200,
    description:
      'Free megabytes below which new writes are refused (503 `storage_full`) and webhooks wait until space is freed.',
  },
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

/** systemd: `LoadCredential=switchboard-vault-passphrase:…`. */
function systemCredential({ env, readFile }: Machine): Secret | null {
  const folder = env['CREDENTIALS_DIRECTORY']
  const content = folder ? readFile(posix.join(folder, 'switchboard-vault-passphrase'))?.replace(/\r?\n$/, '') : ''
  return content ? new Secret(content) : null
}

function passphrase(words: string): Secret | undefined {
  return words.length >= 8 ? new Secret(words) : undefined
}

/** https only: plain http would expose access tokens. */
function httpsOrSandbox(words: string): string | undefined {
  return words === 'sandbox' ? words : httpsUrl(words)
}

function httpsUrl(words: string): string | undefined {
  return words.startsWith('https://') ? baseUrl(words) : undefined
}

/** Its form; whether it is a key shows when it is used. */
function publicKey(words: string): string | undefined {
  const body = words.replaceAll(/-----[A-Z ]+-----|\s/g, '')
  return /^([0-9a-f]{64}|[a-z0-9+/]{43,60}={0,2})$/i.test(body) ? words : undefined
}

function appSecret(words: string): Secret | undefined {
  return /^[0-9a-f]{32}$/i.test(words) ? new Secret(words) : undefined
}

function matching(pattern: RegExp) {
  return (words: string) => (pattern.test(words) ? words : undefined)
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
  return url.href.replace(/(?<!\/)\/+$/, '')
}
