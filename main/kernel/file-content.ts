import { createHash } from 'node:crypto'
import { open, stat, type FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { ApiError } from '../contract/errors.ts'
import { countPassedBytes } from './buffer-garbage.ts'

/** Both ends are included, as in an HTTP range. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

/** Bytes that can be read in parts, wherever they are kept. */
export interface FileContent {
  readonly size: number
  /** SHA-256, lowercase hex. */
  readonly hash: string
  /** For a response without the bytes. @throws ApiError not_found if the file was removed meanwhile. */
  verify(): Promise<void>
  /** Without a range: everything. @throws ApiError not_found if the file was removed meanwhile. */
  read(range?: ByteRange): Promise<Readable>
  /**
   * Everything, for computing on it: a part is only valid until the next one is requested. Parts of a stream that are
   * used once would lie in memory by the dozen until they are collected.
   */
  parts(): AsyncIterable<Uint8Array>
}

/** Everything in memory: only for what is known to be small. */
export async function bytesOf(content: Pick<FileContent, 'parts'>): Promise<Buffer> {
  const parts: Buffer[] = []
  // A part is only valid until the next one.
  for await (const part of content.parts()) parts.push(Buffer.from(part))
  return Buffer.concat(parts)
}

/** For bytes that are already in memory. */
export function contentOf(bytes: Buffer): FileContent {
  return {
    size: bytes.length,
    hash: createHash('sha256').update(bytes).digest('hex'),
    verify: async () => {},
    // As one chunk: an iterable of the buffer itself would be read byte by byte.
    read: async (range) => Readable.from([range === undefined ? bytes : bytes.subarray(range.first, range.last + 1)]),
    async *parts() {
      yield bytes
    },
  }
}

/** For a file on disk. A file that is missing, or has another size, counts as removed. */
export function contentAt(path: string, { size, hash }: Pick<FileContent, 'size' | 'hash'>): FileContent {
  return {
    ...{ size, hash },
    async verify() {
      if ((await stat(path).catch(asRemoved)).size !== size) throw removed()
    },
    async read({ first, last } = { first: 0, last: Infinity }) {
      const stream = (await openWhole(path, size)).createReadStream({ start: first, end: last })
      const push = stream.push.bind(stream)
      stream.push = (part: Buffer | null) => {
        countPassedBytes(part?.length ?? 0)
        return push(part)
      }
      return stream
    },
    async *parts() {
      const file = await openWhole(path, size)
      try {
        const part = Buffer.allocUnsafeSlow(PART_BYTES)
        for (let bytes = await file.read(part); bytes.bytesRead > 0; bytes = await file.read(part))
          yield part.subarray(0, bytes.bytesRead)
      } finally {
        await file.close()
      }
    },
  }
}

const PART_BYTES = 32 * 1024

/** @throws ApiError not_found */
async function openWhole(path: string, size: number): Promise<FileHandle> {
  const file = await open(path, 'r').catch(asRemoved)
  try {
    if ((await file.stat()).size !== size) throw removed()
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

function asRemoved(error: unknown): never {
  throw error instanceof Error && 'code' in error && error.code === 'ENOENT' ? removed() : error
}

const removed = () => new ApiError('not_found', 'This file is no longer kept.').because('file_gone')
