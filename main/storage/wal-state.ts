import { existsSync, readFileSync } from 'node:fs'

/**
 * What SQLite would do in silence with the log it finds. It takes the first frame that does not fit for the end of the
 * log; after a crash that is right, after damage it loses what follows.
 * - `whole`: nothing that was acknowledged is behind its end.
 * - `done`: the log is damaged, and everything in it is in the database already.
 * - `cut`: commits at its end are gone, and what is left fits together.
 * - `mixed`: the database holds more of it than is left of the log; read together they are no state there ever was.
 */
export type WalState = { readonly kind: 'whole' | 'done' | 'mixed' } | { readonly kind: 'cut'; readonly frames: number }

const WHOLE = { kind: 'whole' } as const

const HEADER = 32
const FRAME_HEADER = 24
const MAGIC = 0x377f0682

/** Looks before the database is opened. (Formats: https://sqlite.org/fileformat2.html#walformat and walformat.html) */
export function inspectWal(database: string): WalState {
  const log = existsSync(`${database}-wal`) ? readFileSync(`${database}-wal`) : Buffer.alloc(0)
  const whole = countValidFrames(log)
  const index = readIndex(`${database}-shm`)
  const isOfThisLog = index !== undefined && (log.length < HEADER || index.salt.equals(saltOf(log)))
  if (isOfThisLog) return judge(whole, index)
  return isProvablyDamaged(log, whole) ? { kind: 'mixed' } : WHOLE
}

/** The index is written after the log was synced: what it counts was acknowledged, or is about to be. */
function judge(whole: number, { frames, checkpointed }: Index): WalState {
  if (whole >= frames) return WHOLE
  if (checkpointed >= frames) return { kind: 'done' }
  return checkpointed > whole ? { kind: 'mixed' } : { kind: 'cut', frames: frames - whole }
}

/**
 * Without an index, as after a loss of power: a commit is begun when the one before it is on the disk, so two of them
 * behind a frame that does not fit prove that it was whole once. One alone may be what the crash interrupted.
 */
function isProvablyDamaged(log: Buffer, whole: number): boolean {
  if (log.length < HEADER + FRAME_HEADER) return false
  const page = log.readUInt32BE(8)
  if (!isPageSize(page)) return true
  const frame = FRAME_HEADER + page
  const salt = isHeaderValid(log) ? saltOf(log) : log.subarray(HEADER + 8, HEADER + 16)
  let commits = 0
  for (let at = HEADER + whole * frame; at + frame <= log.length; at += frame) {
    if (log.readUInt32BE(at + 4) !== 0 && log.subarray(at + 8, at + 16).equals(salt)) commits++
  }
  return commits > 1
}

const saltOf = (log: Buffer) => log.subarray(16, 24)

/** How many frames there are up to the last commit that SQLite accepts. */
function countValidFrames(log: Buffer): number {
  if (log.length < HEADER || !isHeaderValid(log)) return 0
  const word = (log.readUInt32BE(0) & 1) === 1 ? BIG : LITTLE
  const page = log.readUInt32BE(8)
  let sum: Sum = [log.readUInt32BE(24), log.readUInt32BE(28)]
  let committed = 0
  for (let n = 1, at = HEADER; at + FRAME_HEADER + page <= log.length; n++, at += FRAME_HEADER + page) {
    if (!log.subarray(at + 8, at + 16).equals(saltOf(log))) break
    sum = checksum(log.subarray(at, at + 8), word, sum)
    sum = checksum(log.subarray(at + FRAME_HEADER, at + FRAME_HEADER + page), word, sum)
    if (sum[0] !== log.readUInt32BE(at + 16) || sum[1] !== log.readUInt32BE(at + 20)) break
    if (log.readUInt32BE(at + 4) !== 0) committed = n
  }
  return committed
}

function isHeaderValid(log: Buffer): boolean {
  if ((log.readUInt32BE(0) & 0xfffffffe) >>> 0 !== MAGIC || !isPageSize(log.readUInt32BE(8))) return false
  const word = (log.readUInt32BE(0) & 1) === 1 ? BIG : LITTLE
  const [a, b] = checksum(log.subarray(0, 24), word, [0, 0])
  return a === log.readUInt32BE(24) && b === log.readUInt32BE(28)
}

const isPageSize = (bytes: number) => bytes >= 512 && bytes <= 65_536 && (bytes & (bytes - 1)) === 0

interface Index {
  /** Of the log, up to the last commit. */
  readonly frames: number
  /** How many of them were copied into the database. */
  readonly checkpointed: number
  readonly salt: Buffer
}

const INDEX_HEADER = 48

/** @returns undefined where it is not there or not whole: it is never synced, and only a process's death spares it. */
function readIndex(file: string): Index | undefined {
  if (!existsSync(file)) return undefined
  const index = readFileSync(file)
  if (index.length < 2 * INDEX_HEADER + 4) return undefined
  const [first, second] = [index.subarray(0, INDEX_HEADER), index.subarray(INDEX_HEADER, 2 * INDEX_HEADER)]
  const [a, b] = checksum(first.subarray(0, 40), LITTLE, [0, 0])
  if (!first.equals(second) || a !== first.readUInt32LE(40) || b !== first.readUInt32LE(44)) return undefined
  if (first.every((byte) => byte === 0)) return undefined
  return {
    frames: first.readUInt32LE(16),
    salt: first.subarray(32, 40),
    checkpointed: index.readUInt32LE(2 * INDEX_HEADER),
  }
}

type Sum = readonly [number, number]
type Word = (bytes: Buffer, at: number) => number

const BIG: Word = (bytes, at) => bytes.readUInt32BE(at)
const LITTLE: Word = (bytes, at) => bytes.readUInt32LE(at)

function checksum(bytes: Buffer, word: Word, [a, b]: Sum): Sum {
  let [first, second] = [a, b]
  for (let at = 0; at < bytes.length; at += 8) {
    first = (first + word(bytes, at) + second) >>> 0
    second = (second + word(bytes, at + 4) + first) >>> 0
  }
  return [first, second]
}
