import { createReadStream } from 'node:fs'

/** What a process did to a file, as far as it matters when the power goes. */
export type Change =
  | { readonly kind: 'write'; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly size: number }
  /** What was done to it before is on the disk. Of a folder: which names are in it. */
  | { readonly kind: 'sync' }
  | { readonly kind: 'open'; readonly creates: boolean }
  | { readonly kind: 'remove' }

/** One change, in the order in which they were done. */
export interface Recorded {
  readonly file: string
  /** By the wall clock: when it was begun, or ended where another was done meanwhile. */
  readonly atMs: number
  readonly change: Change
}

/** How strace writes what this reader understands: the path of each descriptor, times, and all bytes in hex. */
export const STRACE_WORDS = [
  ...['-f', '-qq', '--seccomp-bpf', '-y', '-ttt', '-xx', '-s', '65536', '-e', 'signal=none', '-e'],
  'trace=openat,write,pwrite64,pwritev,ftruncate,fallocate,fsync,fdatasync,unlink,unlinkat,rename,renameat,renameat2',
]

/** Reads all that succeeded. @throws for a call that it does not understand: what is left out would be taken for lost. */
export async function* readRecorded(log: string): AsyncGenerator<Recorded> {
  const unfinished = new Map<string, Call>()
  for await (const line of linesOf(log)) {
    const call = callIn(line)
    if (call.end.endsWith(UNFINISHED)) unfinished.set(call.thread, call)
    else {
      const begun = call.words.startsWith('<...') ? unfinished.get(call.thread) : undefined
      const whole = begun === undefined ? call : { ...begun, end: begun.end + call.end, atMs: call.atMs }
      const recorded = meaningOf(whole)
      if (recorded !== undefined) yield recorded
    }
  }
}

/** A line, cut where bytes or a path stand in it: `words "quoted" end`. */
interface Call {
  readonly thread: string
  readonly atMs: number
  readonly words: string
  readonly quoted: Buffer
  readonly end: string
}

const NEWLINE = 10
const QUOTE = 34
const UNFINISHED = '<unfinished ...>'

async function* linesOf(file: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of createReadStream(file, { highWaterMark: 4 << 20 }) as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let from = 0
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
      yield bytes.subarray(from, end)
      from = end + 1
    }
    rest = bytes.subarray(from)
  }
}

function callIn(line: Buffer): Call {
  const [from, to] = [line.indexOf(QUOTE), line.lastIndexOf(QUOTE)]
  const begin = line.toString('latin1', 0, from < 0 ? line.length : from)
  const [, thread, seconds, words] = /^(\d+) +([\d.]+) (.*)$/.exec(begin) ?? []
  if (thread === undefined || words === undefined) throw new Error(`strace wrote what cannot be read: ${begin}`)
  return {
    ...{ thread, words, atMs: Number(seconds) * 1_000 },
    quoted: from < 0 ? Buffer.alloc(0) : bytesIn(line, from + 1, to),
    end: from < 0 ? words : line.toString('latin1', to + 1),
  }
}

/** `\x53\x51…`: four characters a byte. */
function bytesIn(line: Buffer, from: number, to: number): Buffer {
  const bytes = Buffer.allocUnsafe((to - from) >> 2)
  for (let i = 0, at = from + 2; at < to; i++, at += 4)
    bytes[i] = (digit(line[at] ?? 0) << 4) | digit(line[at + 1] ?? 0)
  return bytes
}

/** `0` to `9`, `a` to `f`. */
const digit = (character: number) => (character < 58 ? character - 48 : character - 87)

function meaningOf({ words, quoted, end, atMs }: Call): Recorded | undefined {
  const result = Number(/\) += (-?\d+)/.exec(end)?.[1])
  if (Number.isNaN(result)) throw new Error(`strace does not say what became of ${words}${end}`)
  if (result < 0) return undefined
  const name = words.slice(0, words.indexOf('('))
  const file = () => pathIn(/\(\d+<([^>]*)>/.exec(words)?.[1] ?? '')
  switch (name) {
    case 'pwrite64': {
      const at = Number(/^, \d+, (\d+)/.exec(end)?.[1])
      return { file: file(), atMs, change: { kind: 'write', at, bytes: quoted.subarray(0, result) } }
    }
    case 'ftruncate':
      return { file: file(), atMs, change: { kind: 'truncate', size: Number(/>, (\d+)/.exec(words)?.[1]) } }
    case 'fsync':
    case 'fdatasync':
      return { file: file(), atMs, change: { kind: 'sync' } }
    case 'openat':
      return { file: quoted.toString(), atMs, change: { kind: 'open', creates: end.includes('O_CREAT') } }
    case 'unlink':
      return { file: quoted.toString(), atMs, change: { kind: 'remove' } }
    default:
      throw new Error(`A call that is not understood: ${words}`)
  }
}

const pathIn = (hex: string): string => Buffer.from(hex.replaceAll('\\x', ''), 'hex').toString()
