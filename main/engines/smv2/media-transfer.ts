import { Readable } from 'node:stream'
import type { WASocket } from 'baileys'
import { LIMITS } from '../../contract/limits.ts'
import type { FileContent } from '../../kernel/file-content.ts'
import type { Outbound, OutboundAnswer } from '../../outbound/outbound.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { FileType } from '../engine.ts'
import { encrypt, encryptedSize, type FileKeys } from './media-cipher.ts'

/** Files are requested only from WhatsApp's own store, never from the host that a message names. */
export const MEDIA_ZONE = '.whatsapp.net'
const STORE = `https://mmg${MEDIA_ZONE}`

/** A store that is silent this long is treated as unreachable. */
const RESPONSE_MS = 10_000
const TRANSFER_MS = 60_000
/** A download by the library blocks the whole connection. */
const PATIENCE = { connectTimeoutMs: 5_000, idleTimeoutMs: 10_000 }
export const MAX_FILE_BYTES = Math.max(...Object.values(LIMITS.mediaMegabytes)) * 1024 * 1024

const UPLOAD_PATHS: Readonly<Record<FileType, string>> = {
  image: '/mms/image',
  sticker: '/mms/image',
  video: '/mms/video',
  audio: '/mms/audio',
  document: '/mms/document',
}

/** What names the stores of a connection. */
type MediaConnection = { readonly sock: Pick<WASocket, 'refreshMediaConn'> }

export interface MediaTransfer {
  /**
   * @returns its encrypted bytes as they arrive, to be read or destroyed: they end with BrokenBody if the transfer breaks
   * off. undefined if the store does not respond, null if it has no such file.
   */
  download(accountId: AccountId, path: string, signal: AbortSignal): Promise<Readable | null | undefined>
  /** @returns its location, or undefined if no store accepted it. */
  upload(
    open: MediaConnection,
    accountId: AccountId,
    keys: FileKeys,
    plain: FileContent,
    signal: AbortSignal,
  ): Promise<{ url: string; directPath: string } | undefined>
  /** For a channel, where nothing is encrypted. @returns also what a post names the upload by. */
  publish(
    open: MediaConnection,
    accountId: AccountId,
    type: FileType,
    content: FileContent,
    signal: AbortSignal,
  ): Promise<{ url: string; directPath: string; handle: string } | undefined>
  /**
   * For downloads the library makes itself: history and the phone owner's settings. Until it has them it neither sends
   * nor receives on that connection, and by default it waits five minutes for a silent store. Settings that were given up
   * arrive with the owner's next change; history does not arrive again.
   */
  readonly dispatcher: object
}

/**
 * Transfers files to and from WhatsApp's store. The library would use temporary files, trust the host a message names, and
 * pass videos to a shell.
 */
export function createMediaTransfer(outbound: Pick<Outbound, 'request' | 'open' | 'dispatcher'>): MediaTransfer {
  return {
    dispatcher: outbound.dispatcher(STORE, PATIENCE),

    async download(accountId, path, signal) {
      const answer = await outbound.open({
        url: `${STORE}${path}`,
        ...{ method: 'GET', headers: { Origin: ORIGIN }, from: { accountId } },
        ...{ headersTimeoutMs: RESPONSE_MS, bodyTimeoutMs: RESPONSE_MS, signal },
        maxBodyBytes: encryptedSize(MAX_FILE_BYTES),
      })
      if (answer.kind === 'failure') return undefined
      if (answer.status === 200) return answer.body
      answer.body.destroy()
      return answer.status >= 500 ? undefined : null
    },

    async upload(open, accountId, { type, mediaKey, encryptedSha256 }, plain, signal) {
      const name = Buffer.from(encryptedSha256).toString('base64url')
      const file = { path: `${UPLOAD_PATHS[type]}/${name}`, name, size: encryptedSize(plain.size) }
      return put(open, accountId, { ...file, body: () => Readable.from(encrypt(type, mediaKey, plain)) }, signal)
    },

    async publish(open, accountId, type, content, signal) {
      const name = Buffer.from(content.hash, 'hex').toString('base64url')
      const file = { path: `/newsletter/newsletter-${type}/${name}`, name, size: content.size }
      const place = await put(open, accountId, { ...file, body: () => Readable.from(content.parts()) }, signal)
      const { handle } = place ?? {}
      return place && handle !== undefined ? { ...place, handle } : undefined
    },
  }

  /** Tries one store after the other. */
  async function put(
    { sock }: MediaConnection,
    accountId: AccountId,
    { path, name, size, body }: { path: string; name: string; size: number; body: () => Readable },
    signal: AbortSignal,
  ): Promise<Place | undefined> {
    const { hosts, auth } = await sock.refreshMediaConn()
    const headers = { 'Content-Type': 'application/octet-stream', 'Content-Length': String(size), Origin: ORIGIN }
    const query = new URLSearchParams({ auth, token: name })
    for (const { hostname } of hosts) {
      const bytes = body()
      try {
        const answer = await outbound.request({
          url: `https://${hostname}${path}?${query}`,
          ...{ method: 'POST', headers, body: bytes },
          ...{ headersTimeoutMs: TRANSFER_MS, signal, from: { accountId } },
        })
        const place = placeIn(answer)
        if (place) return place
      } finally {
        bytes.destroy()
      }
    }
    return undefined
  }
}

interface Place {
  readonly url: string
  readonly directPath: string
  readonly handle?: string
}

const ORIGIN = 'https://web.whatsapp.com'

function placeIn(answer: OutboundAnswer): Place | undefined {
  if (answer.kind === 'failure' || answer.status !== 200) return undefined
  try {
    const { url, direct_path: directPath, handle } = JSON.parse(answer.body.toString()) as Record<string, unknown>
    if (typeof url !== 'string' || typeof directPath !== 'string') return undefined
    return { url, directPath, ...(typeof handle === 'string' && { handle }) }
  } catch {
    return undefined
  }
}
