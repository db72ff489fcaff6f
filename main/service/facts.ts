import { homedir } from 'node:os'
import manifest from '../../package.json' with { type: 'json' }
import { CONTRACTS } from '../capabilities/contracts.ts'
import type { Platform, ServiceRoom } from '../capabilities/service/index.ts'
import type { Config } from '../config.ts'
import type { ServiceNotice } from '../contract/service-notice.ts'
import { SCOPES } from '../contract/scopes.ts'
import { isoTime } from '../contract/request.ts'
import { graphVersionWarning, TESTED_GRAPH_VERSION } from '../engines/official/graph-versions.ts'
import { isDiskFull } from '../kernel/durable-file.ts'
import { listBackups } from '../storage/backups.ts'
import { MIGRATIONS } from '../storage/migrations/index.ts'
import { cancelRestore, stagedRestore, stageRestore } from '../storage/restore.ts'
import { previewRestore } from '../storage/restore-preview.ts'
import { databaseIn, SCHEMA, type Home } from './home.ts'
import { LOOPBACK_OF_WILDCARD } from './listen.ts'
import type { ServiceFacts } from './doctor/run-doctor.ts'
import type { Infrastructure } from './infrastructure.ts'
import { sealedMessage } from './sealed-message.ts'
import type { RunningWorld, World } from './world.ts'

/** Facts about the machine for the service room. */
export function serviceRoomDeps(
  world: RunningWorld,
  home: Home,
  { vault, storage }: Infrastructure,
  address: { readonly url: string },
  troubles: () => readonly ServiceNotice[],
) {
  return {
    facts: factsOf(world, home, vault, address, troubles),
    copies: backupsOf(world, home),
    platform: (): Platform => ({
      node: process.versions.node,
      sqlite: home.db.engine,
      system: `${process.platform} ${process.arch}`,
      memory_bytes: process.memoryUsage().rss,
    }),
    storage() {
      const { checkedAtMs, damage } = storage.integrity()
      // Before the first complete check, the check at opening applies.
      return { schema: SCHEMA, integrity: damage === null ? 'ok' : 'damaged', lookedThroughAtMs: checkedAtMs } as const
    },
    unlock: () => void vault.unlock(),
    logLines: world.log.lines,
    folders: [world.config.home, homedir()],
  }
}

/** The backups of an open home folder. */
export const backupsOf = (world: World, { db, restored, reserve }: Home) => ({
  ...closedBackupsOf(world),
  async stage(name: string, nowMs: number) {
    const { stage } = closedBackupsOf(world)
    try {
      return await stage(name, nowMs)
    } catch (error) {
      if (!isDiskFull(error) || !reserve.release()) throw error
      return stage(name, nowMs)
    }
  },
  make: db.writeBackup,
  restored,
})

/** The part that needs no open database. */
export function closedBackupsOf({ clock, config }: World) {
  const place = { file: databaseIn(config.home), migrations: MIGRATIONS }
  return {
    list: () => listBackups(place.file, SCHEMA, clock.now()),
    staged: () => stagedRestore(place),
    stage: (name: string, nowMs: number) => stageRestore(place, name, nowMs),
    cancel: () => cancelRestore(place),
    preview: (name: string, nowMs: number) => previewRestore(place.file, name, nowMs),
  }
}

/** Facts of the running service that the doctor cannot read from files. */
export function serviceFacts(service: Pick<ServiceRoom, 'facts'>, { db }: Home): ServiceFacts {
  const { version, address, started_at, notices, vault } = service.facts()
  // The doctor has its own checks for these.
  const others = notices.flatMap(({ code, text }) => (code === 'sealed' || code === 'graph_version' ? [] : [text]))
  return { version, url: address, startedAt: started_at, boot: db.boot, warnings: others, vault }
}

/** Facts for a person who maintains the service. */
function factsOf(
  world: World,
  { db }: Home,
  vault: Infrastructure['vault'],
  address: { readonly url: string },
  troubles: () => readonly ServiceNotice[],
) {
  const { clock, config } = world
  const startedAt = isoTime(clock.now())
  return () => {
    const vaultState = vaultFacts(vault)
    const faults = [...sealedNotices(vaultState), ...graphNotices(config, clock.now()), ...troubles()]
    const notices = [...noticesOf(config, address.url, vaultState, clock.now()), ...troubles()]
    return {
      version: manifest.version,
      network: config.network,
      address: address.url,
      mcp_address: `${config.publicBaseUrl ?? address.url}/mcp`,
      mcp_bridge: world.bridge ?? null,
      vault: vaultState,
      home: config.home,
      database_bytes: db.bytes(),
      started_at: startedAt,
      warnings: notices.map(({ text }) => text),
      troubles: faults.map(({ text }) => text),
      notices: notices.map((notice) => ({ ...notice, fault: faults.some(({ text }) => text === notice.text) })),
      scopes: SCOPES_IN_USE,
      limits: {
        slots: config.slots,
        rate_limit_per_minute: config.ratePerMinute,
        anonymous_rate_limit_per_minute: config.anonymousRatePerMinute,
        send_timeout_ms: config.sendTimeoutMs,
        retry_schedule_s: [...config.retryScheduleSeconds],
      },
    }
  }
}

/** The current state of the vault. */
export const vaultFacts = (vault: Infrastructure['vault']) => ({
  ...{ kind: vault.kind, state: vault.state(), asking: vault.prompt() },
  ...{ notice: vault.notice, problem: vault.problem() },
})

/** The console does not offer scopes that no operation uses. */
const SCOPES_IN_USE = SCOPES.filter((scope) =>
  CONTRACTS.some(({ operations }) => Object.values(operations).some((operation) => operation.scope === scope)),
)

type VaultFacts = ReturnType<typeof vaultFacts>

export function warningsOf(
  config: Config,
  url: string,
  vault: Pick<VaultFacts, 'notice' | 'problem' | 'asking'>,
  nowMs: number,
): string[] {
  return noticesOf(config, url, vault, nowMs).map(({ text }) => text)
}

function noticesOf(
  config: Config,
  url: string,
  vault: Pick<VaultFacts, 'notice' | 'problem' | 'asking'>,
  nowMs: number,
): ServiceNotice[] {
  const exposedAt = config.host in LOOPBACK_OF_WILDCARD ? `port ${new URL(url).port} on all network interfaces` : url
  const exposed = config.allowLan
    ? `Other machines can reach the API at ${exposedAt}, without encryption. Put a TLS proxy in front of it.`
    : null
  const simulated =
    config.graphBaseUrl === 'sandbox'
      ? 'Live official instances use the Meta simulator on this machine (official.graph_base_url is sandbox). No real messages are sent.'
      : null
  return [
    ...noticeOf('exposed', exposed),
    ...noticeOf('graph_simulated', simulated),
    ...graphNotices(config, nowMs),
    ...noticeOf('vault', vault.notice),
    ...sealedNotices(vault),
  ]
}

/** Logs that cannot be written. */
export const logNotices = (logs: RunningWorld['logHealth']): ServiceNotice[] =>
  logs.flatMap(({ problem }) => noticeOf('log_not_written', problem()))

function graphNotices({ graphVersion, graphBaseUrl }: Config, nowMs: number): ServiceNotice[] {
  const ends = graphBaseUrl === 'sandbox' ? null : graphVersionWarning(graphVersion, nowMs)
  if (ends === null) return []
  return noticeOf(
    'graph_version',
    `${ends}; official numbers may then fail. Set official.graph_version to ${TESTED_GRAPH_VERSION}, which Switchboard was tested with, and restart it.`,
  )
}

const noticeOf = (code: ServiceNotice['code'], text: string | null): ServiceNotice[] =>
  text === null ? [] : [{ code, text }]

const sealedNotices = ({ problem, asking }: Pick<VaultFacts, 'problem' | 'asking'>): ServiceNotice[] =>
  noticeOf('sealed', problem === null || asking === null ? null : sealedMessage(problem, asking))
