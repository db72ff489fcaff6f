import { Worker } from 'node:worker_threads'
import type { Clock, Timer } from './clock.ts'
import { createFairQueue } from './fair-queue.ts'
import { bytesOf, type FileContent } from './file-content.ts'
import type { AccountId } from './ids.ts'
import { cause, type Log } from './log.ts'
import type { MediaRequest, MediaResponse } from './media-program.ts'
import { MEDIA_TARGETS, type MediaTarget } from './media-targets.ts'
import { startTimeout } from './timeout.ts'

export type Converted =
  | { readonly kind: 'done'; readonly bytes: Buffer; readonly loudness: Buffer | null }
  /** The file cannot be read as what it should be, or needs too much memory. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'too_slow' }
  /** Too many files are waiting, or this build converts none. */
  | { readonly kind: 'unavailable' }

/** Converts pictures, sounds and films. */
export interface MediaConverter {
  /** Never throws. @param content is read once its turn has come, and is held in memory then. */
  convert(accountId: AccountId, target: MediaTarget, content: Pick<FileContent, 'parts'>): Promise<Converted>
  close(): Promise<void>
}

interface MediaConverterDeps {
  readonly clock: Pick<Clock, 'mono' | 'after'>
  readonly log: Log
  /** Path of media-program.ts as it was built; null: nothing is converted. */
  readonly program: string | null
}

interface Job {
  readonly accountId: AccountId
  readonly target: MediaTarget
  readonly content: Pick<FileContent, 'parts'>
  readonly settle: (converted: Converted) => void
}

const WAITING = { perOwner: 32, inAll: 512 }
/** FFmpeg takes 60 MB as soon as it is loaded, which an idle service does not need. */
const IDLE_MS = 30_000
/** Of the thread's own objects; the memory of FFmpeg is limited in media-program.ts. */
const HEAP_MB = 64

const UNREADABLE: Converted = { kind: 'unreadable' }
const TOO_SLOW: Converted = { kind: 'too_slow' }
const UNAVAILABLE: Converted = { kind: 'unavailable' }

/**
 * Converts files with FFmpeg in threads of their own: the files come from strangers and may be made to be slow, so a
 * thread that takes too long is ended.
 */
export function createMediaConverter(deps: MediaConverterDeps): MediaConverter {
  const lanes = { pictures: createLane(deps), recordings: createLane(deps) }
  return {
    convert: (accountId, target, content) =>
      new Promise((settle) => lanes[MEDIA_TARGETS[target].lane].add({ accountId, target, content, settle })),
    async close() {
      await Promise.all([lanes.pictures.close(), lanes.recordings.close()])
    },
  }
}

/** One file after another, accounts in turn. */
function createLane({ clock, log, program }: MediaConverterDeps) {
  const waiting = createFairQueue<Job>(WAITING)
  let thread: Worker | undefined
  let idle: Timer | undefined
  let isBusy = false
  let isClosed = false

  function next(): void {
    if (isBusy || isClosed) return
    const job = waiting.next()
    if (job === undefined) return stopWhenIdle()
    isBusy = true
    idle?.cancel()
    void run(job).then((converted) => {
      isBusy = false
      job.settle(converted)
      next()
    })
  }

  async function run({ target, content }: Job): Promise<Converted> {
    try {
      const bytes = new Uint8Array(await bytesOf(content))
      return await ask({ target, bytes }, MEDIA_TARGETS[target].limitMs)
    } catch (error) {
      log.info({ event: 'media.not_converted', target, cause: cause(error) })
      return UNREADABLE
    }
  }

  function ask(request: MediaRequest, limitMs: number): Promise<Converted> {
    const asked = (thread ??= start())
    const { promise, resolve } = Promise.withResolvers<Converted>()
    const limit = startTimeout(clock, limitMs, () => {
      log.info({ event: 'media.too_slow', target: request.target })
      void stop()
      resolve(TOO_SLOW)
    })
    const answer = (response: MediaResponse) =>
      resolve(
        response === null
          ? UNREADABLE
          : { kind: 'done', bytes: Buffer.from(response.bytes.buffer), loudness: asBuffer(response.loudness) },
      )
    const fail = () => resolve(UNREADABLE)
    asked.once('message', answer).once('exit', fail)
    asked.postMessage(request, [request.bytes.buffer])
    return promise.finally(() => {
      limit.cancel()
      asked.off('message', answer).off('exit', fail)
    })
  }

  function start(): Worker {
    if (program === null) throw new Error('this build has no program that converts files')
    const started = new Worker(program, {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      // It writes nothing, and what it would write is nothing for the service's own output.
      ...{ stdout: true, stderr: true },
    })
    started.unref()
    started.on('error', (error) => log.warn({ event: 'media.thread_failed', cause: cause(error) }))
    started.on('exit', () => {
      if (thread === started) thread = undefined
    })
    return started
  }

  async function stop(): Promise<void> {
    const stopped = thread
    thread = undefined
    await stopped?.terminate()
  }

  function stopWhenIdle(): void {
    idle?.cancel()
    if (thread) idle = startTimeout(clock, IDLE_MS, () => void stop())
  }

  return {
    add(job: Job): void {
      if (isClosed || program === null) return job.settle(UNAVAILABLE)
      const wait = startTimeout(clock, MEDIA_TARGETS[job.target].waitMs, () => {
        if (waiting.remove(queued)) job.settle(UNAVAILABLE)
      })
      const queued: Job = {
        ...job,
        settle(converted) {
          wait.cancel()
          job.settle(converted)
        },
      }
      waiting.add(job.accountId, queued)?.settle(UNAVAILABLE)
      next()
    },
    async close(): Promise<void> {
      isClosed = true
      idle?.cancel()
      for (const job of waiting.clear()) job.settle(UNAVAILABLE)
      await stop()
    },
  }
}

const asBuffer = (bytes: Uint8Array | null): Buffer | null => (bytes === null ? null : Buffer.from(bytes))
