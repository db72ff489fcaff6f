import type { Change, Recorded } from './strace-log.ts'

/**
 * How many of the changes that no sync has made sure of have reached a disk: for each of its sectors, and for how long
 * the file is. A disk takes them in any order, and each sector as a whole.
 */
export interface Arrival {
  readonly sectorBytes: number
  /** @returns from 0 to `changes`. */
  of(sector: number | 'size' | 'name', changes: number): number
}

/** What a loss of power leaves of some files, at every moment of what was recorded. */
export interface Disk {
  note(recorded: Recorded): void
  /** What is found in the file; null where it is not there. */
  image(file: string, arrival: Arrival): Buffer | null
}

/** Everything that was not synced is lost. */
export const NOTHING_ARRIVES: Arrival = { sectorBytes: 512, of: () => 0 }

type Write = Extract<Change, { kind: 'write' }>
type Pending = Write | Extract<Change, { kind: 'truncate' }>

/** @param folder where the names of the files are. @param files what is in them before anything is recorded. */
export function createDisk(folder: string, files: Readonly<Record<string, Buffer | null>>): Disk {
  const known = new Map(Object.entries(files).map(([name, bytes]) => [name, fileWith(bytes)]))
  return {
    note({ file, change }) {
      if (file === folder && change.kind === 'sync') for (const one of known.values()) one.syncName()
      known.get(file)?.note(change)
    },
    image: (file, arrival) => known.get(file)?.image(arrival) ?? null,
  }
}

function fileWith(before: Buffer | null) {
  let safe = contentOf(before ?? Buffer.alloc(0))
  let pending: Pending[] = []
  let isThere = before !== null
  let isNamed = isThere

  return {
    syncName: () => void (isNamed = isThere),
    note(change: Change): void {
      if (change.kind === 'write' || change.kind === 'truncate') pending.push(change)
      else if (change.kind === 'sync') apply(safe, pending.splice(0), EVERYTHING_ARRIVES)
      else if (change.kind === 'remove') isThere = false
      else if (change.creates && !isThere) {
        isThere = true
        // A file of this name that was removed is another one.
        safe = contentOf(Buffer.alloc(0))
        pending = []
      }
    },
    image(arrival: Arrival): Buffer | null {
      const isFound = isThere === isNamed || arrival.of('name', 1) === 0 ? isNamed : isThere
      if (!isFound) return null
      const copy = contentOf(Buffer.from(safe.store.subarray(0, safe.size)))
      apply(copy, pending, arrival)
      return copy.store.subarray(0, copy.size)
    },
  }
}

/** The bytes of a file lie in a store that grows by doubling; what is behind their end is zero. */
interface Content {
  store: Buffer
  size: number
}

const contentOf = (bytes: Buffer): Content => ({ store: bytes, size: bytes.length })

const EVERYTHING_ARRIVES: Arrival = { sectorBytes: Infinity, of: (_sector, changes) => changes }

/** Makes of the content what it is with those of the changes that have arrived. */
function apply(content: Content, changes: readonly Pending[], arrival: Arrival): void {
  const sizes = [content.size]
  for (const change of changes) sizes.push(sizeAfter(sizes.at(-1) ?? 0, change))
  const most = Math.max(...sizes)
  grow(content, most)
  const arrived = new Map<number | 'size', number>()
  const hasArrived = (where: number | 'size', nth: number) => {
    const known = arrived.get(where) ?? arrival.of(where, changes.length)
    arrived.set(where, known)
    return nth < known
  }
  changes.forEach((change, nth) => {
    // Where a file is cut nothing is written: its sectors are given back, at once.
    if (change.kind === 'truncate') {
      if (hasArrived('size', nth)) content.store.fill(0, change.size)
      return
    }
    for (const [sector, from, to] of sectorsOf(change, arrival.sectorBytes)) {
      if (hasArrived(sector, nth)) change.bytes.copy(content.store, from, from - change.at, to - change.at)
    }
  })
  content.size = sizes[sizes.findLastIndex((_size, nth) => nth === 0 || hasArrived('size', nth - 1))] ?? content.size
  if (content.size < most) content.store.fill(0, content.size, most)
}

const sizeAfter = (size: number, change: Pending): number =>
  change.kind === 'write' ? Math.max(size, change.at + change.bytes.length) : change.size

/** The sectors that a write touches, with its part in each. */
function* sectorsOf({ at: from, bytes }: Write, sectorBytes: number): Generator<[number, number, number]> {
  for (let at = from; at < from + bytes.length;) {
    const sector = Math.floor(at / sectorBytes)
    const next = Math.min(from + bytes.length, (sector + 1) * sectorBytes)
    yield [sector, at, next]
    at = next
  }
}

function grow(content: Content, size: number): void {
  if (size <= content.store.length) return
  const store = Buffer.alloc(Math.max(size, 2 * content.store.length))
  content.store.copy(store)
  content.store = store
}
