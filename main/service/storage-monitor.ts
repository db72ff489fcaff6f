import { join } from 'node:path'
import type { StorageGauges } from '../capabilities/service/index.ts'
import type { ServiceNotice } from '../contract/service-notice.ts'
import { ApiError } from '../contract/errors.ts'
import { isoTime } from '../contract/request.ts'
import type { Notice } from '../contract/notice.ts'
import type { Timer } from '../kernel/clock.ts'
import type { StorageError } from '../kernel/db.ts'
import type { WriteGate } from '../kernel/write-gate.ts'
import type { NoticeBus } from '../kernel/notice-bus.ts'
import { backupsFolderOf, listBackups } from '../storage/backups.ts'
import {
  createDailyIntegrityCheck,
  type DailyIntegrityCheck,
  type IntegrityStatus,
} from '../storage/daily-integrity-check.ts'
import { mayRetry, recordDiskFault } from '../storage/disk-fault-history.ts'
import { isDiskFault } from '../storage/sqlite-errors.ts'
import { freeBytesOf } from '../storage/free-bytes.ts'
import { createDiskSpaceMonitor } from '../storage/disk-space.ts'
import { databaseIn, SCHEMA, type Home } from './home.ts'
import type { World } from './world.ts'

/** The disk of the home folder: its free space, its faults, and the integrity of the database. */
export interface StorageMonitor {
  readonly writeGate: WriteGate
  readonly gauges: () => StorageGauges
  /** Result of the last complete check of the database. */
  readonly integrity: () => IntegrityStatus
  /** Whether the disk failed, so that only reading works. */
  readonly isReadOnly: () => boolean
  /** The same as codes: `storage_full`, `storage_read_only`, `database_damaged`, `data_lost`. */
  readonly codes: () => string[]
  /** Notices for a person, as sentences. */
  readonly problems: () => ServiceNotice[]
  /** Free space on the disk above the level at which no new data is accepted. */
  readonly freeBytes: () => number
  /** @param prune removes old data as soon as it can. */
  start(prune: () => void): void
  /** Long checks end as soon as they can. */
  stop(): void
  close(): Promise<void>
}

const TICK_MS = 1_000
const RETRY_TICKS = 30
const MB = 1_000_000

export function monitorStorage(world: World, home: Home, live: Pick<NoticeBus<Notice>, 'publish'>): StorageMonitor {
  const { clock, config, log } = world
  const publishChange = () => live.publish(null, { topic: 'service' })
  let prune = () => {}
  const space = createDiskSpaceMonitor({
    ...{ home: config.home, db: home.db, clock, log },
    limits: {
      reserveBytes: config.reserveMb * MB,
      warnBytes: config.warnBelowMb * MB,
      refuseBytes: config.refuseBelowMb * MB,
    },
    reserve: home.reserve,
    freeBytes: world.freeBytes ?? freeBytesOf,
    prune: () => prune(),
    onChange: publishChange,
  })
  const disk = watchDisk(world, publishChange)
  home.onFault((fault) => {
    if (fault.kind === 'full') space.reportFull()
    else if (isDiskFault(fault)) disk.noteFault(fault)
  })

  const integrityCheck = watchIntegrity(world, home, publishChange)

  const isOpen = () => space.state() !== 'full' && !disk.hasFailed()

  return {
    writeGate: {
      isOpen,
      check() {
        if (space.state() === 'full') throw diskFull()
      },
    },
    gauges() {
      const { checkedAtMs, damage } = integrityCheck.state()
      return { freeBytes: space.freeBytes(), isOpen: isOpen(), lookedAtMs: checkedAtMs, isDamaged: damage !== null }
    },
    freeBytes: () => (space.freeBytes() ?? Infinity) - config.refuseBelowMb * MB,
    integrity: integrityCheck.state,
    isReadOnly: disk.hasFailed,
    codes: () => [
      ...(space.state() === 'full' ? ['storage_full'] : []),
      ...(disk.hasFailed() ? ['storage_read_only'] : []),
      ...(integrityCheck.state().damage === null ? [] : ['database_damaged']),
      ...(home.dataLosses().length > 0 ? ['data_lost'] : []),
    ],
    problems: () => [
      ...noticeOf('disk_failed', disk.problem()),
      ...noticeOf(space.state() === 'full' ? 'disk_full' : 'disk_low', space.problem()),
      ...noticeOf('database_damaged', integrityCheck.problem()),
      ...home.dataLosses().map((text) => ({ code: 'data_lost', text }) as const),
    ],
    start(act) {
      prune = act
      space.start()
      integrityCheck.start()
    },
    stop: integrityCheck.stop,
    async close() {
      disk.close()
      await integrityCheck.close()
      await space.close()
    },
  }
}

const noticeOf = (code: ServiceNotice['code'], text: string | null): ServiceNotice[] =>
  text === null ? [] : [{ code, text }]

const NO_CHECK: DailyIntegrityCheck = {
  state: () => ({ checkedAtMs: null, damage: null }),
  problem: () => null,
  start() {},
  stop() {},
  async close() {},
}

function watchIntegrity(world: World, { db }: Home, onFound: () => void): DailyIntegrityCheck {
  const { clock, config, log, maintenanceProcess } = world
  if (maintenanceProcess === undefined || maintenanceProcess === null) return NO_CHECK
  const file = databaseIn(config.home)
  const usable = () => listBackups(file, SCHEMA, clock.now()).filter(({ state }) => state === 'usable')
  return createDailyIntegrityCheck({
    ...{ db, file, clock, log, onFound },
    checkDatabase: maintenanceProcess.checkDatabase,
    copies: () => usable().map(({ name }) => ({ name, file: join(backupsFolderOf(file), name) })),
  })
}

/**
 * After a disk fault it is unknown how much of the last commit was stored, and memory may differ from it. So the
 * storage is reopened, as after a crash; until that succeeds, it is read-only.
 */
function watchDisk({ clock, config, log, restart }: World, onChange: () => void) {
  let failedAtMs: number | undefined
  let code = ''
  let timer: Timer | undefined
  let ticks = 0

  function restartService(): void {
    timer?.cancel()
    log.warn({ event: 'storage.open_anew' })
    restart?.()
  }

  function retry(): void {
    if (++ticks % RETRY_TICKS === 0 && mayRetry(config.home, clock.now())) restartService()
  }

  return {
    hasFailed: () => failedAtMs !== undefined,
    noteFault(fault: StorageError): void {
      if (failedAtMs !== undefined) return
      failedAtMs = clock.now()
      code = codeOf(fault)
      const mayHelp = recordDiskFault(config.home, failedAtMs)
      log.error({ event: 'storage.disk_failed', code, reopens: mayHelp && restart !== undefined })
      onChange()
      if (restart === undefined) return
      if (mayHelp) restartService()
      else timer = clock.every(TICK_MS, retry)
    },
    problem: () => (failedAtMs === undefined ? null : describeFailure(code, failedAtMs, restart !== undefined)),
    close: () => timer?.cancel(),
  }
}

function describeFailure(code: string, atMs: number, triesAgain: boolean): string {
  const next = triesAgain
    ? 'Check the disk. Switchboard retries within ten minutes.'
    : 'Check the disk, then restart Switchboard.'
  return `The disk failed at ${isoTime(atMs)} (${code}). Data is read-only and webhooks wait. ${next}`
}

const codeOf = ({ cause }: StorageError): string =>
  cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'

const diskFull = () =>
  new ApiError('storage_full', 'The disk is full, so nothing was done. Free some space, then retry.')
