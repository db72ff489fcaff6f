import { vi } from 'vitest'
import { silentLogger } from '../../../main/engines/smv2/wire.ts'
import type { Log, LogFields } from '../../../main/kernel/log.ts'

/**
 * Said at every pairing: of the restart the network asks for, and by a client that has not heard its own name yet. A query
 * that times out is of an earlier file in this process, since no test takes as long as the library waits.
 */
const USUAL = /^(stream errored out|no name present|timed out waiting for message)/

/** A line of an earlier test file ended before its first queries were answered. */
const UNANSWERED = /timed out|connection (closed|was lost|terminated)/i
const isOfAnotherFile = (about: unknown, said: string | undefined): boolean =>
  said?.includes("'init queries'") === true && UNANSWERED.test(String((about as { err?: unknown } | null)?.err))

/** Warnings and errors of the engine, and those of the library, which nobody hears otherwise. Until the test ends. */
export function listenForObjections(): { readonly log: Log; readonly heard: readonly string[] } {
  const heard: string[] = []
  const object = (said: string) => {
    if (!USUAL.test(said)) heard.push(said)
  }
  const ours = (fields: LogFields) => object(JSON.stringify(fields))
  for (const level of ['warn', 'error'] as const)
    vi.spyOn(silentLogger, level).mockImplementation((about: unknown, said?: string) => {
      if (!isOfAnotherFile(about, said)) object(said ?? (typeof about === 'string' ? about : JSON.stringify(about)))
    })
  return { log: { debug: () => {}, info: () => {}, warn: ours, error: ours }, heard }
}
