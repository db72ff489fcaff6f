import { ApiError } from '../contract/errors.ts'
import { isoTime } from '../contract/request.ts'
import type { Notice } from '../contract/notice.ts'
import type { Timer } from '../kernel/clock.ts'
import type { StorageError } from '../kernel/db.ts'
import type { Intake } from '../kernel/intake.ts'
import type { Live } from '../kernel/live.ts'
import { mayTryAgain, noteFault } from '../storage/fault-history.ts'
import { isOfTheDisk } from '../storage/faults.ts'
import { freeBytesOf } from '../storage/free-bytes.ts'
import { createReserve } from '../storage/reserve.ts'
import { createSpace } from '../storage/space.ts'
import type { Home } from './home.ts'
import type { World } from './world.ts'

/** The disk under the home folder: whether it has room, and whether it works. */
export interface StorageWatch {
  readonly intake: Intake
  readonly gauges: () => { readonly freeBytes: number | undefined; readonly isOpen: boolean }
  /** Whether the disk failed, so that only reading works. */
  readonly isReadOnly: () => boolean
  /** The same for programs: `storage_full`, `storage_read_only`, `data_lost`. */
  readonly codes: () => string[]
  /** What a person should know; sentences. */
  readonly problems: () => string[]
  /** @param tidy removes what is old, as soon as it can. */
  start(tidy: () => void): void
  close(): Promise<void>
}

const TICK_MS = 1_000
const TRY_AGAIN_TICKS = 30
const MB = 1_000_000

export function watchStorage(world: World, home: Home, live: Pick<Live<Notice>, 'tell'>): StorageWatch {
  const { clock, config, log } = world
  const tellAll = () => live.tell({ topic: 'service' })
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

  const isOpen = () => space.state() !== 'full' && !disk.hasFailed()

  return {
    intake: {
      isOpen,
      check() {
        if (space.state() === 'full') throw diskFull()
      },
    },
    gauges: () => ({ freeBytes: space.freeBytes(), isOpen: isOpen() }),
    isReadOnly: disk.hasFailed,
    codes: () => [
      ...(space.state() === 'full' ? ['storage_full'] : []),
      ...(disk.hasFailed() ? ['storage_read_only'] : []),
      ...(home.losses().length > 0 ? ['data_lost'] : []),
    ],
    problems: () => [disk.problem(), space.problem(), ...home.losses()].filter((line) => line !== null),
    start(act) {
      tidy = act
      space.start()
    },
    async close() {
      disk.close()
      await space.close()
    },
  }
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
