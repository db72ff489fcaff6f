import { closeSync, openSync, readSync, statSync } from 'node:fs'

const CHUNK_BYTES = 1024 * 1024

/** Whether two files have the same bytes. */
export function isSameFile(one: string, other: string): boolean {
  if (statSync(one).size !== statSync(other).size) return false
  const files = [openSync(one, 'r'), openSync(other, 'r')] as const
  const [left, right] = [Buffer.alloc(CHUNK_BYTES), Buffer.alloc(CHUNK_BYTES)]
  try {
    for (;;) {
      const length = readChunk(files[0], left)
      if (readChunk(files[1], right) !== length || left.compare(right, 0, length, 0, length) !== 0) return false
      if (length < CHUNK_BYTES) return true
    }
  } finally {
    files.forEach(closeSync)
  }
}

/** @returns fewer bytes than the chunk's size only at the end of the file. */
function readChunk(file: number, chunk: Buffer): number {
  let length = 0
  for (let read = -1; read !== 0 && length < chunk.length; length += read)
    read = readSync(file, chunk, length, chunk.length - length, null)
  return length
}
