import { join } from 'node:path'
import type { StorageGauges } from '../capabilities/service/index.ts'
import { ApiError } from '../contract/errors.ts'
import { isoTime } from '../contract/request.ts'
import type { Notice } from '../contract/notice.ts'
import type { Timer } from '../kernel/clock.ts'
import type { StorageError } from '../kernel/db.ts'
import type { WriteGate } from '../kernel/write-gate.ts'
import type { NoticeBus } from '../kernel/notice-bus.ts'
import { backupsBeside, listBackups } from '../storage/backups.ts'
import { createDailyLook, type DailyLook, type LookedAt } from '../storage/daily-look.ts'
import { mayTryAgain, noteFault } from '../storage/fault-history.ts'
import { isOfTheDisk } from '../storage/faults.ts'
import { freeBytesOf } from '../storage/free-bytes.ts'
import { createReserve } from '../storage/reserve.ts'
import { createSpace } from '../storage/space.ts'
import { databaseIn, SCHEMA, type Home } from './home.ts'
import type { World } from './world.ts'

/** The disk under the home folder: whether it has room, whether it works, and whether what is on it is whole. */
export interface StorageWatch {
  readonly writeGate: WriteGate
  readonly gauges: () => StorageGauges
  /** What was found when all of the database was looked through. */
  readonly lookedAt: () => LookedAt
  /** Whether the disk failed, so that only reading works. */
  readonly isReadOnly: () => boolean
  /** The same for programs: `storage_full`, `storage_read_only`, `database_damaged`, `data_lost`. */
  readonly codes: () => string[]
  /** What a person should know; sentences. */
  readonly problems: () => string[]
  /** @param tidy removes what is old, as soon as it can. */
  start(tidy: () => void): void
  /** What takes its time ends as soon as it can. */
  end(): void
  close(): Promise<void>
}

const TICK_MS = 1_000
const TRY_AGAIN_TICKS = 30
const MB = 1_000_000

export function watchStorage(world: World, home: Home, live: Pick<NoticeBus<Notice>, 'publish'>): StorageWatch {
  const { clock, config, log } = world
  const tellAll = () => live.publish({ topic: 'service' })
  let tidy = () => {}
  const space = createSpace({
    ...{ home: config.home, db: home.db, clock, log },
    limits: {
      reserveBytes: config.reserveMb * MB,
      warnBytes: config.warnBelowMb * MB,
      refuseBytes: config.refuseBelowMb * MB,
    },
    reserve: createReserve(config.home, world.random),
    freeBytes: world.freeBytes ?? freeBytesOf,
    tidy: () => tidy(),
    onChange: tellAll,
  })
  const disk = watchDisk(world, tellAll)
  home.onFault((fault) => {
    if (fault.kind === 'full') space.noteFull()
    else if (isOfTheDisk(fault)) disk.noteFault(fault)
  })

  const look = watchWholeness(world, home, tellAll)

  const isOpen = () => space.state() !== 'full' && !disk.hasFailed()

  return {
    writeGate: {
      isOpen,
      check() {
        if (space.state() === 'full') throw diskFull()
      },
    },
    gauges() {
      const { atMs, damage } = look.state()
      return { freeBytes: space.freeBytes(), isOpen: isOpen(), lookedAtMs: atMs, isDamaged: damage !== null }
    },
    lookedAt: look.state,
    isReadOnly: disk.hasFailed,
    codes: () => [
      ...(space.state() === 'full' ? ['storage_full'] : []),
      ...(disk.hasFailed() ? ['storage_read_only'] : []),
      ...(look.state().damage === null ? [] : ['database_damaged']),
      ...(home.losses().length > 0 ? ['data_lost'] : []),
    ],
    problems: () => [disk.problem(), space.problem(), look.problem(), ...home.losses()].filter((line) => line !== null),
    start(act) {
      tidy = act
      space.start()
      look.start()
    },
    end: look.end,
    async close() {
      disk.close()
      await look.close()
      await space.close()
    },
  }
}

const NOBODY_LOOKS: DailyLook = {
  state: () => ({ atMs: null, damage: null }),
  problem: () => null,
  start() {},
  end() {},
  async close() {},
}

function watchWholeness(world: World, { db }: Home, onFound: () => void): DailyLook {
  const { clock, config, log, aside } = world
  if (aside === undefined || aside === null) return NOBODY_LOOKS
  const file = databaseIn(config.home)
  const usable = () => listBackups(file, SCHEMA, clock.now()).filter(({ state }) => state === 'usable')
  return createDailyLook({
    ...{ db, file, clock, log, onFound },
    lookThrough: aside.lookThrough,
    copies: () => usable().map(({ name }) => ({ name, file: join(backupsBeside(file), name) })),
  })
}

/**
 * After a fault of the disk nobody knows what of the last commit is on it, and what memory holds may be another state
 * than that. So everything is opened anew from what is there, as after a crash; while that does not help, it only reads.
 */
function watchDisk({ clock, config, log, restart }: World, onChange: () => void) {
  let failedAtMs: number | undefined
  let code = ''
  let timer: Timer | undefined
  let ticks = 0

  function openAnew(): void {
    timer?.cancel()
    log.warn({ event: 'storage.open_anew' })
    restart?.()
  }

  function tryAgain(): void {
    if (++ticks % TRY_AGAIN_TICKS === 0 && mayTryAgain(config.home, clock.now())) openAnew()
  }

  return {
    hasFailed: () => failedAtMs !== undefined,
    noteFault(fault: StorageError): void {
      if (failedAtMs !== undefined) return
      failedAtMs = clock.now()
      code = codeOf(fault)
      const mayHelp = noteFault(config.home, failedAtMs)
      log.error({ event: 'storage.disk_failed', code, opensAnew: mayHelp && restart !== undefined })
      onChange()
      if (restart === undefined) return
      if (mayHelp) openAnew()
      else timer = clock.every(TICK_MS, tryAgain)
    },
    problem: () => (failedAtMs === undefined ? null : sentenceOf(code, failedAtMs, restart !== undefined)),
    close: () => timer?.cancel(),
  }
}

function sentenceOf(code: string, atMs: number, triesAgain: boolean): string {
  const next = triesAgain
    ? 'Check the disk; Switchboard tries again by itself within ten minutes.'
    : 'Check the disk, then quit Switchboard and start it again.'
  return `The disk of the home folder failed at ${isoTime(atMs)} (${code}), so only reading works and webhooks wait. ${next}`
}

const codeOf = ({ cause }: StorageError): string =>
  cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'

const diskFull = () =>
  new ApiError(
    'storage_full',
    'The disk of this service is full, so nothing new is taken and nothing was done. Free some space, then repeat the call.',
  )
