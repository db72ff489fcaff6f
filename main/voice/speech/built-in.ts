import { Worker } from 'node:worker_threads'
import type { Clock } from '../../kernel/clock.ts'
import { createFairQueue } from '../../kernel/fair-queue.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { startTimeout } from '../../kernel/timeout.ts'
import type { FliteRequest, FliteResponse } from './flite-thread.ts'
import { piecesOf } from './pieces.ts'
import type { Tts } from './speech.ts'

const CACHED_SAMPLES = 16_000 * 120
const LONGEST_TEXT = 2_000
/** Each side of a call has at most one waiting sentence. */
const WAITING = { perOwner: 512, inAll: 1_024 }
/** Far longer than a sentence takes. */
const PIECE_MS = 30_000

/** The voice included in Switchboard. */
export interface BuiltInVoice {
  /** The voice for an account. Accounts take turns, sentence by sentence. */
  of(accountId: AccountId): Tts
}

interface BuiltInDeps {
  readonly clock: Pick<Clock, 'mono' | 'after'>
  /** Path of the built flite-thread.ts. */
  readonly program: string
}

/** A sentence to generate. Several calls of the account may wait for the same one. */
interface Piece {
  readonly id: string
  /** Key in the cache, which accounts share. */
  readonly key: string
  readonly text: string
  readonly voice: string
  /** null: it failed. */
  readonly made: Promise<Int16Array | null>
  readonly settle: (pcm: Int16Array | null) => void
  /** Number of calls that still need it. */
  listeners: number
}

/** Speaks only English. Recent sentences are cached, because greetings repeat. */
export function createBuiltInVoice({ clock, program }: BuiltInDeps): BuiltInVoice & { close(): Promise<void> } {
  const cache = new Map<string, Int16Array>()
  const pieces = new Map<string, Piece>()
  const waiting = createFairQueue<Piece>(WAITING)
  let samples = 0
  let requests = 0
  let thread: Worker | undefined
  let isBusy = false

  function next(): void {
    if (isBusy) return
    const piece = waiting.next()
    if (piece === undefined) return
    isBusy = true
    const kept = cache.get(piece.key)
    void (kept === undefined ? make(piece) : Promise.resolve(kept)).then((pcm) => {
      isBusy = false
      end(piece, pcm)
      next()
    })
  }

  function end(piece: Piece, pcm: Int16Array | null): void {
    pieces.delete(piece.id)
    if (pcm !== null && !cache.has(piece.key)) remember(piece.key, pcm)
    piece.settle(pcm)
  }

  function start(): Worker {
    const started = new Worker(program, { stdout: true, stderr: true })
    started.unref()
    // The thread ends after an error.
    started.on('error', () => {})
    started.on('exit', () => {
      if (thread === started) thread = undefined
    })
    return started
  }

  /** One at a time, so that all use the same memory of the thread. */
  function make({ text, voice }: Piece): Promise<Int16Array | null> {
    const asked = (thread ??= start())
    const id = ++requests
    const { promise, resolve } = Promise.withResolvers<Int16Array | null>()
    const answer = (response: FliteResponse) => response.id === id && resolve(response.pcm)
    const fail = () => resolve(null)
    const limit = startTimeout(clock, PIECE_MS, () => void asked.terminate())
    asked.on('message', answer).on('exit', fail)
    asked.postMessage({ id, text, voice } satisfies FliteRequest)
    return promise.finally(() => {
      limit.cancel()
      asked.off('message', answer).off('exit', fail)
    })
  }

  function remember(key: string, pcm: Int16Array): void {
    cache.set(key, pcm)
    samples += pcm.length
    for (const [old, { length }] of cache) {
      if (samples <= CACHED_SAMPLES || old === key) break
      cache.delete(old)
      samples -= length
    }
  }

  function want(owner: string, text: string, voice: string): Piece {
    const key = keyOf(text, voice)
    // Separate for each account, because another account's turn may come later.
    const id = `${owner}\n${key}`
    const wanted = pieces.get(id)
    if (wanted !== undefined) return wanted
    const { promise, resolve } = Promise.withResolvers<Int16Array | null>()
    const piece: Piece = { id, key, text, voice, made: promise, settle: resolve, listeners: 0 }
    pieces.set(id, piece)
    const refused = waiting.add(owner, piece)
    if (refused !== undefined) end(refused, null)
    next()
    return piece
  }

  /** @returns null if nobody needs it any longer. @throws Error if it could not be generated. */
  async function sayOne(owner: string, text: string, voice: string, signal: AbortSignal): Promise<Int16Array | null> {
    const kept = cache.get(keyOf(text, voice))
    if (kept !== undefined) return kept
    const piece = want(owner, text, voice)
    piece.listeners++
    const leave = () => {
      piece.listeners--
      if (piece.listeners === 0 && waiting.remove(piece)) end(piece, null)
    }
    signal.addEventListener('abort', leave, { once: true })
    const pcm = await piece.made
    signal.removeEventListener('abort', leave)
    if (signal.aborted) return null
    if (pcm === null) throw new Error('The built-in voice failed.')
    return pcm
  }

  return {
    of: (accountId) => ({
      async *say(text, voice, signal) {
        for (const piece of piecesOf(text.slice(0, LONGEST_TEXT))) {
          const pcm = signal.aborted ? null : await sayOne(accountId, piece, voice, signal)
          if (pcm === null) return
          yield pcm
        }
      },
    }),
    async close() {
      await thread?.terminate()
    },
  }
}

const keyOf = (text: string, voice: string): string => `${voice}\n${text}`
