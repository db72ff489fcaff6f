import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { readonly type: 'minor' | 'major' }) => void

const AFTER_BYTES = 4 * 1024 * 1024

// One count for the process, because it has one heap.
let bytesSince = 0
let collect: Collect | undefined

/**
 * Call for the bytes that pass through a stream. The engine collects the buffers of streams only when 64 MB of them lie
 * around, because it sees how small the objects are that hold them; a collection of young objects takes about a
 * millisecond.
 */
export function countPassedBytes(bytes: number): void {
  bytesSince += bytes
  if (bytesSince < AFTER_BYTES) return
  bytesSince = 0
  collect ??= findCollector()
  collect({ type: 'minor' })
}

/** For a thread that has just let go of large memory, which the engine takes for small objects too. */
export function collectEverything(): void {
  collect ??= findCollector()
  collect({ type: 'major' })
}

function findCollector(): Collect {
  setFlagsFromString('--expose-gc')
  const found: unknown = runInNewContext('typeof gc === "function" ? gc : undefined')
  setFlagsFromString('--no-expose-gc')
  return typeof found === 'function' ? (found as Collect) : () => {}
}
