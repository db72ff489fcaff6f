import { ApiError } from '../../contract/errors.ts'
import type { LineControl } from '../../engines/line-settings.ts'
import type { Clock } from '../../kernel/clock.ts'
import { ConnectFailure } from '../../outbound/connect-failure.ts'
import { parseTypedHost } from '../../outbound/destination.ts'
import type { Db } from '../../kernel/db.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { Proxy } from '../../outbound/proxy.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { Seal } from '../../kernel/seal.ts'
import { Secret } from '../../kernel/secret.ts'
import type { InstanceSubject, RequireAccess } from '../handler.ts'
import type { Instances } from '../instances/index.ts'
import type { LineSettingsPatch, LineSettingsView } from './contract.ts'
import { sealLogin } from './read.ts'
import { lineSettingsOf, removeLineSettings, saveLineSettings, type LineSettingsRow } from './store.ts'

export { createReadLineSettings } from './read.ts'

export interface LineSettingsDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly seal: Seal
  readonly instances: Pick<Instances, 'engineFor' | 'owned' | 'subscribe'>
  /** Read for each answer, because the window can change them. */
  readonly config: {
    readonly pacePerMinute: number
    readonly paceBurst: number
    readonly paceChatPerMinute: number
    readonly paceChatBurst: number
    readonly paceSpacingMs: number
  }
}

export interface LineSettings {
  read(instance: InstanceSubject): Promise<LineSettingsView>
  /** @throws ApiError validation_error, invalid_url, invalid_state, not_found, upstream_unavailable, sealed */
  update(instance: InstanceSubject, patch: LineSettingsPatch, requireAccess: RequireAccess): Promise<LineSettingsView>
}

type ProxyPatch = NonNullable<LineSettingsPatch['proxy']>
type ProxyColumns = Pick<LineSettingsRow, 'proxyType' | 'proxyHost' | 'proxyPort' | 'proxySealed'>

const NO_PROXY: ProxyColumns = { proxyType: null, proxyHost: null, proxyPort: null, proxySealed: null }
const DEFAULTS: LineSettingsRow = {
  ...{ perMinute: null, burst: null, chatPerMinute: null, chatBurst: null, spacingMs: null },
  ...{ online: 0, ...NO_PROXY },
}

/** Connection and sending settings of single numbers. */
export function createLineSettings({ db, clock, log, seal, instances, config }: LineSettingsDeps): LineSettings {
  instances.subscribe(async (tx, change) => {
    const { kind, id: instanceId } = change
    const isOfOther = change.kind === 'transferred' && !change.isRepeated
    if (kind !== 'deleted' && kind !== 'not_returned' && !isOfOther) return
    const removed = await tx.run(removeLineSettings, { instanceId })
    // Otherwise the new owner's number would stay connected through the old owner's proxy.
    if (kind === 'transferred' && removed > 0) tx.afterCommit(() => void applyToNewOwner(instanceId))
  })

  async function applyToNewOwner(id: InstanceId): Promise<void> {
    const found = await instances.owned(id).catch((error: unknown) => notApplied(id, error))
    if (found) await apply(found.subject)
  }

  /** The settings are stored already; what cannot be applied now is applied on the next connect. */
  async function apply(instance: InstanceSubject): Promise<void> {
    try {
      await instances.engineFor(instance).lines?.settingsChanged(instance)
    } catch (error) {
      notApplied(instance.id, error)
    }
  }

  function notApplied(instanceId: string, error: unknown): undefined {
    log.warn({ event: 'line.settings_not_applied', instanceId, cause: cause(error) })
  }

  function toView(row: LineSettingsRow): LineSettingsView {
    const { proxyType: type, proxyHost: host, proxyPort: port, proxySealed } = row
    return {
      pace: {
        per_minute: row.perMinute,
        burst: row.burst,
        chat_per_minute: row.chatPerMinute,
        chat_burst: row.chatBurst,
        spacing_ms: row.spacingMs,
      },
      default_pace: {
        per_minute: config.pacePerMinute,
        burst: config.paceBurst,
        chat_per_minute: config.paceChatPerMinute,
        chat_burst: config.paceChatBurst,
        spacing_ms: config.paceSpacingMs,
      },
      online: row.online === 1,
      proxy:
        type === null || host === null || port === null
          ? null
          : { type, host, port, has_credentials: proxySealed !== null },
    }
  }

  async function columnsOf(lines: LineControl | undefined, id: string, asked: ProxyPatch): Promise<ProxyColumns> {
    const proxy = toProxy(asked)
    if (lines === undefined) throw sandboxHasNoProxy()
    await lines.checkProxy(proxy).catch((error: unknown) => {
      throw error instanceof ConnectFailure ? refusal(error, proxy) : error
    })
    const { type: proxyType, host: proxyHost, port: proxyPort, credentials } = proxy
    return { proxyType, proxyHost, proxyPort, proxySealed: credentials && sealLogin(seal, credentials, id) }
  }

  return {
    read: async ({ id: instanceId }) => toView((await db.readOne(lineSettingsOf, { instanceId })) ?? DEFAULTS),
    async update(instance, { pace = {}, online, proxy }, requireAccess) {
      const { lines } = instances.engineFor(instance)
      const { id: instanceId } = instance
      const columns = proxy ? await columnsOf(lines, instanceId, proxy) : proxy === null ? NO_PROXY : {}
      const row = await db.commit(async (tx) => {
        // Checked again, because the check of a proxy takes a while.
        await requireAccess(tx)
        const before = (await tx.one(lineSettingsOf, { instanceId })) ?? DEFAULTS
        const after: LineSettingsRow = {
          ...before,
          ...(pace.per_minute !== undefined && { perMinute: pace.per_minute }),
          ...(pace.burst !== undefined && { burst: pace.burst }),
          ...(pace.chat_per_minute !== undefined && { chatPerMinute: pace.chat_per_minute }),
          ...(pace.chat_burst !== undefined && { chatBurst: pace.chat_burst }),
          ...(pace.spacing_ms !== undefined && { spacingMs: pace.spacing_ms }),
          ...(online !== undefined && { online: online ? 1 : 0 }),
          ...columns,
        }
        await tx.run(saveLineSettings, { instanceId, ...after, now: clock.now() })
        return after
      })
      await apply(instance)
      return toView(row)
    },
  }
}

function toProxy({ type, host: typed, port, username, password }: ProxyPatch): Proxy {
  const place = parseTypedHost(typed)
  if (typeof place === 'string')
    throw new ApiError('invalid_url', `proxy.host ${place} ${UNSAVED}`).because('url_invalid', { field: 'proxy.host' })
  if (password !== undefined && username === undefined)
    throw new ApiError('validation_error', 'proxy.password needs proxy.username. Send both, or neither.').because(
      'field_required',
      { field: 'proxy.username' },
    )
  for (const [field, text] of Object.entries({ username, password }))
    if (text !== undefined && Buffer.byteLength(text) > CREDENTIAL_BYTES)
      throw new ApiError('validation_error', `proxy.${field} must be ${CREDENTIAL_BYTES} bytes or shorter.`).because(
        'proxy_credential_long',
        { field: `proxy.${field}`, n: CREDENTIAL_BYTES },
      )
  if (username?.includes(':') && type !== 'socks5')
    throw new ApiError(
      'validation_error',
      'proxy.username must not contain a colon: an HTTP proxy cannot read it.',
    ).because('proxy_username_colon')
  const credentials =
    username === undefined ? null : { username: new Secret(username), password: new Secret(password ?? '') }
  return { type, host: place.host, port, credentials }
}

/** The SOCKS protocol has one byte for the length. */
const CREDENTIAL_BYTES = 255

const sandboxHasNoProxy = () =>
  new ApiError(
    'invalid_state',
    'A sandbox instance has no connection that could go through a proxy. Set the proxy on a live instance.',
  ).because('sandbox_no_proxy')

const UNSAVED = 'Nothing was changed.'

function refusal({ stage, reason, message }: ConnectFailure, { host }: Proxy): ApiError {
  if (stage === 'blocked') {
    const rule = `The proxy ${host} does not lead to a public address. Use a public one, or add its range to egress.trusted_ranges in settings.json.`
    return new ApiError('invalid_url', `${rule} ${UNSAVED}`).because('proxy_not_public', { host })
  }
  if (isCallersFault(reason)) return new ApiError('validation_error', `${message} ${UNSAVED}`).because(reason)
  return new ApiError(
    'upstream_unavailable',
    `WhatsApp cannot be reached through this proxy: ${message} ${UNSAVED}`,
  ).because('proxy_unreachable')
}

const CALLERS_FAULTS = ['proxy_login', 'proxy_denied', 'proxy_protocol'] as const

const isCallersFault = (reason: string): reason is (typeof CALLERS_FAULTS)[number] =>
  CALLERS_FAULTS.some((fault) => fault === reason)
