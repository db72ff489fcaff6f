import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Cdn } from '../whatsapp/media.ts'
import { decryptCbc, encryptCbc, hkdf, hmac, sha256 } from './bytes.ts'
import { DOWNLOAD_HOST, UPLOAD_HOST } from './listener.ts'
import { node, type Node } from './node.ts'

type Kind = Parameters<Cdn['publish']>[0]

/** The labels from which the keys of a file are derived. */
const INFO: Readonly<Record<Kind, string>> = {
  image: 'WhatsApp Image Keys',
  sticker: 'WhatsApp Image Keys',
  video: 'WhatsApp Video Keys',
  audio: 'WhatsApp Audio Keys',
  document: 'WhatsApp Document Keys',
  history: 'WhatsApp History Keys',
  app_state: 'WhatsApp App State Keys',
}

const MAC_BYTES = 10
const TTL_SECONDS = 3_600

/** The storage of encrypted files. */
export interface Files extends Cdn {
  /** Tells a client where to upload, and with which token. */
  connection(): Node
}

export function createFiles(): Files {
  const stored = new Map<string, Buffer>()
  const gone = new Map<string, Buffer>()
  const auth = randomBytes(24).toString('base64')
  let lastName = 10_000_000
  let [flips, downloads, uploads] = [0, 0, 0]
  let uploadStatus: number | null = null
  let downloadStatus: number | 'silence' | null = null

  const put = (bytes: Buffer): string => {
    const path = `/v/t62.7118-24/${++lastName}_${randomBytes(4).readUInt32BE()}_n.enc`
    stored.set(path, bytes)
    return `${path}?ccb=11-4&oh=${randomBytes(8).toString('hex')}&_nc_sid=5e03e0`
  }
  const urlOf = (directPath: string) => `https://${DOWNLOAD_HOST}${directPath}&mms3=true`
  const pathOf = (directPath: string) => new URL(directPath, `https://${DOWNLOAD_HOST}`).pathname

  function download(path: string, response: ServerResponse): void {
    if (downloadStatus === 'silence') return
    const bytes = stored.get(path)
    const status = downloadStatus ?? (bytes ? 200 : gone.has(path) ? 410 : 404)
    if (status !== 200 || !bytes) return void response.writeHead(status, { 'content-length': '0' }).end()
    downloads++
    const sent = Buffer.from(bytes)
    if (flips > 0) {
      flips--
      sent.writeUInt8(sent.readUInt8(3) ^ 1, 3)
    }
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': sent.length }).end(sent)
  }

  async function upload(request: IncomingMessage, url: URL, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray())
    const name = sha256(body).toString('base64url')
    const isMeant = url.searchParams.get('auth') === auth && url.searchParams.get('token') === name
    const status = uploadStatus ?? (isMeant && url.pathname.endsWith(`/${name}`) ? 200 : 401)
    const direct_path = status === 200 ? put(body) : ''
    if (status === 200) uploads++
    const answer = status === 200 ? { url: urlOf(direct_path), direct_path } : { error: status }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  }

  return {
    // This stand-in supports no posts in channels.
    placeOf: () => undefined,
    connection: () =>
      node('media_conn', { auth, ttl: TTL_SECONDS, auth_ttl: TTL_SECONDS, max_buckets: 12 }, [
        node('host', { hostname: UPLOAD_HOST, maxContentLengthBytes: 2 ** 26 }),
        node('host', { hostname: DOWNLOAD_HOST, maxContentLengthBytes: 2 ** 26 }),
      ]),
    publish(kind, file) {
      const mediaKey = randomBytes(32)
      const sealed = sealFile(kind, mediaKey, file)
      const directPath = put(sealed)
      return {
        ...{ url: urlOf(directPath), directPath, mediaKey, fileLength: file.length },
        ...{ fileSha256: sha256(file), fileEncSha256: sha256(sealed) },
      }
    },
    publishPlain(file) {
      const directPath = put(file)
      return { url: urlOf(directPath), directPath, fileSha256: sha256(file), fileLength: file.length }
    },
    fetch(kind, reference) {
      const found = stored.get(pathOf(String(reference.directPath)))
      if (!found) throw new Error('the file is not there')
      // A file that was uploaded without encryption has no checksum of an encrypted form.
      const isPlain = reference.fileEncSha256 === null || reference.fileEncSha256 === undefined
      if (!isPlain && !sha256(found).equals(asBuffer(reference.fileEncSha256)))
        throw new Error('another encrypted file')
      const file = isPlain ? found : openFile(kind, asBuffer(reference.mediaKey), found)
      if (!sha256(file).equals(asBuffer(reference.fileSha256))) throw new Error('another file')
      if (Number(reference.fileLength) !== file.length) throw new Error('the length of a file is wrong')
      return file
    },
    flip: (times) => void (flips = times),
    forget(directPath) {
      const path = pathOf(directPath)
      const bytes = stored.get(path)
      if (bytes) gone.set(path, bytes)
      stored.delete(path)
    },
    restore(directPath) {
      const path = pathOf(directPath)
      const bytes = stored.get(path) ?? gone.get(path)
      if (!bytes) throw new Error(`nothing was ever at ${path}`)
      return put(bytes)
    },
    refuseUploads: (status) => void (uploadStatus = status),
    refuseDownloads: (status) => void (downloadStatus = status),
    get downloads() {
      return downloads
    },
    get uploads() {
      return uploads
    },
    serve(request, response) {
      const url = new URL(request.url ?? '/', `https://${DOWNLOAD_HOST}`)
      if (request.method === 'POST') void upload(request, url, response)
      else download(url.pathname, response)
    },
  }
}

const asBuffer = (bytes: unknown) => (bytes instanceof Uint8Array ? Buffer.from(bytes) : Buffer.alloc(0))

function fileKeys(kind: Kind, mediaKey: Buffer) {
  const all = hkdf(mediaKey, 112, INFO[kind])
  return { iv: all.subarray(0, 16), cipher: all.subarray(16, 48), mac: all.subarray(48, 80) }
}

function sealFile(kind: Kind, mediaKey: Buffer, file: Buffer): Buffer {
  const { iv, cipher, mac } = fileKeys(kind, mediaKey)
  const sealed = encryptCbc(cipher, iv, file)
  return Buffer.concat([sealed, hmac(mac, iv, sealed).subarray(0, MAC_BYTES)])
}

/** @throws if the file was not encrypted with this key. */
function openFile(kind: Kind, mediaKey: Buffer, bytes: Buffer): Buffer {
  const { iv, cipher, mac } = fileKeys(kind, mediaKey)
  const sealed = bytes.subarray(0, -MAC_BYTES)
  if (!hmac(mac, iv, sealed).subarray(0, MAC_BYTES).equals(bytes.subarray(-MAC_BYTES)))
    throw new Error('the MAC of a file is wrong')
  return decryptCbc(cipher, iv, sealed)
}
