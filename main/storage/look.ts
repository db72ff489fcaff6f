import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** A look through a database that is under way. */
export interface Look {
  /** What is wrong, in SQLite's words; empty: nothing. null: it was ended before it was through. */
  readonly found: Promise<readonly string[] | null>
  /** Ends it after the part that it is at. */
  end(): void
}

/** Looks through a database that others may be using. */
export type LookThrough = (file: string) => Look

/** What the thread is given. */
export interface LookOrder {
  readonly file: string
  /** One number: not zero once it is to end. */
  readonly end: SharedArrayBuffer
}

/** What the thread answers. */
export type LookAnswer = { readonly found: readonly string[] | null } | { readonly failed: string }

/**
 * In a thread with a connection of its own, so that nobody waits for it.
 * @param program where look-thread.ts lies.
 */
export function lookInThread(program: string): LookThrough {
  return (file) => {
    const order: LookOrder = { file, end: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT) }
    const thread = new Worker(program, { workerData: order, execArgv: [] })
    return {
      found: answerOf(thread),
      end: () => void Atomics.store(new Int32Array(order.end), 0, 1),
    }
  }
}

async function answerOf(thread: Worker): Promise<readonly string[] | null> {
  const isOver = once(thread, 'exit')
  const said = await Promise.race([once(thread, 'message'), isOver.then(() => undefined)])
  // Its connection is closed only then.
  await isOver
  if (said === undefined) throw new Error('The thread ended without an answer')
  const answer = said[0] as LookAnswer
  if ('failed' in answer) throw new Error(answer.failed)
  return answer.found
}
