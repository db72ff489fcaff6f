import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { proto } from 'baileys'

/** The reference to a file in a message. */
export interface MediaReference {
  readonly url: string
  readonly directPath: string
  readonly mediaKey: Buffer
  readonly fileSha256: Buffer
  readonly fileEncSha256: Buffer
  readonly fileLength: number
}

type Reference = { readonly [Name in keyof MediaReference]?: unknown }

export type MediaKind = 'image' | 'video' | 'audio' | 'document' | 'sticker'

/**
 * Besides the files of messages, the storage contains data of an account on its way from the phone to linked devices.
 */
type FileKind = MediaKind | 'app_state' | 'history'

/** The storage of files. Files are encrypted and stored by hash. */
export interface Cdn {
  /** Encrypts and stores a file, so that messages can refer to it. */
  publish(kind: FileKind, file: Buffer): MediaReference
  /** Stores a file unencrypted, for the followers of a channel. */
  publishPlain(file: Buffer): Omit<MediaReference, 'mediaKey' | 'fileEncSha256'>
  /**
   * Loads a file as a phone does. Without a hash of the encrypted file, it is used unencrypted. @throws if the file
   * is missing or does not match.
   */
  fetch(kind: MediaKind, reference: Reference): Buffer
  /** The path of a file that was uploaded for a channel. */
  placeOf(handle: string): string | undefined
  /** The next downloads (this many) differ in one bit from the uploaded file. */
  flip(times: number): void
  /** Removes a file. Requests for it then get 410. */
  forget(directPath: string): void
  /** Uploads a file again, like a phone that still has it. @returns its new path. */
  restore(directPath: string): string
  /** Answers uploads with this status; null accepts them again. */
  refuseUploads(status: number | null): void
  /** Answers downloads with this status, or never; null serves them again. */
  refuseDownloads(status: number | 'silence' | null): void
  readonly downloads: number
  readonly uploads: number
  serve(request: IncomingMessage, response: ServerResponse): void
}

export const MEDIA_HOST = 'mmg.whatsapp.net'

const KEY_INFO: Readonly<Record<FileKind, string>> = {
  image: 'WhatsApp Image Keys',
  video: 'WhatsApp Video Keys',
  audio: 'WhatsApp Audio Keys',
  document: 'WhatsApp Document Keys',
  sticker: 'WhatsApp Image Keys',
  app_state: 'WhatsApp App State Keys',
  history: 'WhatsApp History Keys',
}
const MAC_BYTES = 10
const UPLOAD = /^\/(mms|newsletter)\/([\w-]+)\/([\w-]+)(?:%3D|=)*\?/

const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest()

export function createCdn(): Cdn {
  const files = new Map<string, Buffer>()
  const forgotten = new Map<string, Buffer>()
  const handles = new Map<string, string>()
  let flips = 0
  let refused: number | null = null
  let withheld: number | 'silence' | null = null
  let downloads = 0
  let uploads = 0

  function store(bytes: Buffer): string {
    const path = `/v/t62.7118-24/${sha256(bytes).toString('base64url')}.enc`
    files.set(path, bytes)
    return path
  }

  async function upload(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await bodyOf(request)
    const [, tree, kind = '', named] = UPLOAD.exec(request.url ?? '') ?? []
    if (refused !== null) return void response.writeHead(refused).end()
    if (named !== sha256(bytes).toString('base64url')) return void response.writeHead(400).end('hash mismatch')
    // Files for channels are uploaded unencrypted, to a separate path.
    if ((tree === 'newsletter') !== kind.startsWith('newsletter-')) return void response.writeHead(404).end()
    uploads++
    const directPath = store(bytes)
    const handle = tree === 'newsletter' ? { handle: `handle-of-${named}` } : {}
    if (tree === 'newsletter') handles.set(`handle-of-${named}`, directPath)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ url: `https://${MEDIA_HOST}${directPath}`, direct_path: directPath, ...handle }))
  }

  function download(path: string, response: ServerResponse): void {
    if (withheld === 'silence') return
    if (withheld !== null) return void response.writeHead(withheld).end()
    const found = files.get(path)
    if (found === undefined) return void response.writeHead(410).end()
    downloads++
    const bytes = Buffer.from(found)
    if (flips > 0) {
      flips--
      bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0)
    }
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': bytes.length }).end(bytes)
  }

  return {
    publish(kind, file) {
      const mediaKey = randomBytes(32)
      const bytes = encrypt(kind, mediaKey, file)
      const directPath = store(bytes)
      return {
        url: `https://${MEDIA_HOST}${directPath}?ccb=11-4&mms3=true`,
        directPath,
        mediaKey,
        fileSha256: sha256(file),
        fileEncSha256: sha256(bytes),
        fileLength: file.length,
      }
    },
    publishPlain(file) {
      const directPath = store(file)
      const url = `https://${MEDIA_HOST}${directPath}`
      return { url, directPath, fileSha256: sha256(file), fileLength: file.length }
    },
    fetch(kind, reference) {
      const directPath = String(reference.directPath)
      const bytes = files.get(directPath)
      if (bytes === undefined) throw new Error(`nothing lies at ${directPath}`)
      if (!reference.fileEncSha256) {
        demandHash('file', bytes, reference.fileSha256)
        return bytes
      }
      demandHash('encrypted file', bytes, reference.fileEncSha256)
      const file = decrypt(kind, reference.mediaKey as Uint8Array, bytes)
      demandHash('file', file, reference.fileSha256)
      return file
    },
    placeOf: (handle) => handles.get(handle),
    flip: (times) => void (flips = times),
    forget(directPath) {
      const bytes = files.get(directPath)
      if (bytes !== undefined) forgotten.set(directPath, bytes)
      files.delete(directPath)
    },
    restore(directPath) {
      const bytes = files.get(directPath) ?? forgotten.get(directPath)
      if (bytes === undefined) throw new Error(`nothing ever lay at ${directPath}`)
      const path = `${directPath.replace(/\.enc$/, '')}-again.enc`
      files.set(path, bytes)
      return path
    },
    refuseUploads: (status) => void (refused = status),
    refuseDownloads: (status) => void (withheld = status),
    get downloads() {
      return downloads
    },
    get uploads() {
      return uploads
    },
    serve(request, response) {
      if (request.method === 'POST') return void upload(request, response)
      download(new URL(request.url ?? '/', `https://${MEDIA_HOST}`).pathname, response)
    },
  }
}

/** The reference to a file that belongs to no message. */
export const externalBlob = (file: MediaReference): proto.IExternalBlobReference => ({
  mediaKey: file.mediaKey,
  directPath: file.directPath,
  fileSizeBytes: file.fileLength,
  fileSha256: file.fileSha256,
  fileEncSha256: file.fileEncSha256,
})

function demandHash(what: string, bytes: Buffer, expected: unknown): void {
  if (!(expected instanceof Uint8Array) || !sha256(bytes).equals(expected))
    throw new Error(`the ${what} is not the one the message names`)
}

function keysFor(kind: FileKind, mediaKey: Uint8Array) {
  const all = Buffer.from(hkdfSync('sha256', mediaKey, Buffer.alloc(0), KEY_INFO[kind], 112))
  return { iv: all.subarray(0, 16), cipherKey: all.subarray(16, 48), macKey: all.subarray(48, 80) }
}

function encrypt(kind: FileKind, mediaKey: Uint8Array, file: Buffer): Buffer {
  const { iv, cipherKey, macKey } = keysFor(kind, mediaKey)
  const cipher = createCipheriv('aes-256-cbc', cipherKey, iv)
  const sealed = Buffer.concat([cipher.update(file), cipher.final()])
  return Buffer.concat([sealed, macOf(macKey, iv, sealed)])
}

function decrypt(kind: MediaKind, mediaKey: Uint8Array, bytes: Buffer): Buffer {
  const { iv, cipherKey, macKey } = keysFor(kind, mediaKey)
  const sealed = bytes.subarray(0, -MAC_BYTES)
  if (!macOf(macKey, iv, sealed).equals(bytes.subarray(-MAC_BYTES))) throw new Error('the file’s seal is broken')
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv)
  return Buffer.concat([decipher.update(sealed), decipher.final()])
}

const macOf = (key: Buffer, iv: Buffer, sealed: Buffer) =>
  createHmac('sha256', key).update(iv).update(sealed).digest().subarray(0, MAC_BYTES)

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}
