import { LIMITS } from '../../contract/limits.ts'
import type { Outbound, OutboundAnswer } from '../../kernel/outbound.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { FileType } from '../engine.ts'
import type { OpenLink } from './link.ts'
import type { EncryptedFile } from './media-cipher.ts'

/** Nothing but the network's own store is ever asked for a file, whatever address a sender writes into a message. */
export const MEDIA_ZONE = '.whatsapp.net'
const STORE = `https://mmg${MEDIA_ZONE}`

const TRANSFER_MS = 60_000
/** The library's own downloads hold a whole line up. */
const PATIENCE = { connectTimeoutMs: 5_000, idleTimeoutMs: 10_000 }
const MB = 1024 * 1024
/** Padding and signature of an encrypted file. */
const AROUND_BYTES = 64

const UPLOAD_PATHS: Readonly<Record<FileType, string>> = {
  image: '/mms/image',
  sticker: '/mms/image',
  video: '/mms/video',
  audio: '/mms/audio',
  document: '/mms/document',
}

export interface MediaTransfer {
  /** @param path under which the store has it. @returns undefined when it does not answer; null when it is not there. */
  download(accountId: AccountId, path: string): Promise<Buffer | null | undefined>
  /** @returns where it lies now; undefined when no store took it. */
  upload(
    open: OpenLink,
    accountId: AccountId,
    type: FileType,
    file: EncryptedFile,
    signal: AbortSignal,
  ): Promise<{ url: string; directPath: string } | undefined>
  /**
   * How the library fetches what it does by itself: files with the past and the settings of an account, from its phone.
   * Until it has them it neither sends nor hears on that line, and left alone it waits five minutes for a store that is
   * silent. Settings that are given up come with the next change of the phone's owner; a past does not come again.
   */
  readonly dispatcher: object
}

/**
 * Files to and from the network's store. The library would do this through temporary files, with whatever host a message
 * names, and hand videos to a shell.
 */
export function createMediaTransfer(outbound: Pick<Outbound, 'request' | 'dispatcher'>): MediaTransfer {
  return {
    dispatcher: outbound.dispatcher(STORE, PATIENCE),

    async download(accountId, path) {
      const answer = await outbound.request({
        url: `${STORE}${path}`,
        ...{ method: 'GET', headers: { Origin: ORIGIN }, from: { accountId } },
        ...{ headersTimeoutMs: TRANSFER_MS, bodyTimeoutMs: TRANSFER_MS },
        maxBodyBytes: Math.max(...Object.values(LIMITS.mediaMegabytes)) * MB + AROUND_BYTES,
      })
      if (answer.kind === 'failure' || answer.status >= 500) return undefined
      return answer.status === 200 && !answer.truncated ? answer.body : null
    },

    async upload({ sock }, accountId, type, { bytes, encryptedSha256 }, signal) {
      const { hosts, auth } = await sock.refreshMediaConn()
      const name = encryptedSha256.toString('base64url')
      const query = new URLSearchParams({ auth, token: name })
      for (const { hostname } of hosts) {
        const answer = await outbound.request({
          url: `https://${hostname}${UPLOAD_PATHS[type]}/${name}?${query}`,
          ...{ method: 'POST', headers: { 'Content-Type': 'application/octet-stream', Origin: ORIGIN }, body: bytes },
          ...{ headersTimeoutMs: TRANSFER_MS, signal, from: { accountId } },
        })
        const place = placeIn(answer)
        if (place) return place
      }
      return undefined
    },
  }
}

const ORIGIN = 'https://web.whatsapp.com'

function placeIn(answer: OutboundAnswer): { url: string; directPath: string } | undefined {
  if (answer.kind === 'failure' || answer.status !== 200) return undefined
  try {
    const { url, direct_path: directPath } = JSON.parse(answer.body.toString()) as {
      url?: unknown
      direct_path?: unknown
    }
    return typeof url === 'string' && typeof directPath === 'string' ? { url, directPath } : undefined
  } catch {
    return undefined
  }
}
