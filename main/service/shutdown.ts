import type { Clock } from '../kernel/clock.ts'
import { cause, type Log } from '../kernel/log.ts'
import type { Home } from './home.ts'

/** Time limit for all steps together, slightly longer than requests and deliveries get to finish. */
const ORDERLY_MS = 5_800
/** The rest of the ten seconds after which supervisors kill the process. Storage needs it only on a slow disk. */
const STORAGE_MS = 3_200
const LOOK_EVERY_MS = 20

/** `cut_short`: some work did not end in time. Everything acknowledged is saved, and the process has to exit now. */
export type Shutdown = 'in_order' | 'cut_short' | 'not_saved'

export interface Closable {
  /** Finishes running work, records everything and releases the home folder. Idempotent. */
  close(): Promise<void>
  /** Saves everything acknowledged and releases the home folder now, even while work is running. The process must exit next. */
  closeStorage(): Promise<void>
}

interface ShutdownDeps {
  readonly log: Log
  readonly home: Pick<Home, 'close'>
  /** Ends child processes that did not stop in time. */
  readonly abandon: () => void
  /** From the network inwards to storage. */
  readonly steps: Readonly<Record<string, () => unknown>>
}

/** Runs the steps one after the other, and closes storage last. A failed step does not stop later ones. */
export function createShutdown({ log, home, abandon, steps }: ShutdownDeps): Closable {
  let closing: Promise<void> | undefined
  let closingStorage: Promise<void> | undefined
  let current: string | undefined
  const closeStorage = () => (closingStorage ??= home.close())

  async function close(): Promise<void> {
    for (const [step, end] of Object.entries(steps)) {
      current = step
      try {
        await end()
      } catch (error) {
        log.error({ event: 'service.not_ended', step, cause: cause(error) })
      }
    }
    current = undefined
    if (closingStorage === undefined) log.info({ event: 'service.stopped' })
    await closeStorage()
  }

  return {
    close: () => (closing ??= close()),
    closeStorage() {
      if (current !== undefined) {
        log.warn({ event: 'service.cut_short', step: current })
        abandon()
      }
      return closeStorage()
    },
  }
}

/** Closes the service, and storage in any case, so that hanging work cannot lose stored data. Never rejects. */
export async function closeInTime(
  service: Closable,
  clock: Pick<Clock, 'mono' | 'sleep'>,
  orderlyMs = ORDERLY_MS,
): Promise<Shutdown> {
  if (await within(clock, orderlyMs, service.close())) return 'in_order'
  return (await within(clock, STORAGE_MS, service.closeStorage())) ? 'cut_short' : 'not_saved'
}

/** Keeps the process alive meanwhile, because other timers are unref'ed and the sockets close first. */
async function within(clock: Pick<Clock, 'mono' | 'sleep'>, ms: number, awaited: Promise<void>): Promise<boolean> {
  const untilMono = clock.mono() + ms
  let isDone: boolean | undefined
  void awaited.then(
    () => (isDone = true),
    () => (isDone = false),
  )
  while (isDone === undefined && clock.mono() < untilMono) await clock.sleep(LOOK_EVERY_MS)
  return isDone === true
}
