import { PNG } from 'pngjs'
import { expect, test } from 'vitest'
import { answerMedia, sampleOf, sampleTypeAt } from '../../../main/engines/sandbox/index.ts'
import type { AccountId } from '../../../main/kernel/ids.ts'
import type { OutboundResponse } from '../../../main/outbound/outbound.ts'

async function get(name: string): Promise<OutboundResponse> {
  const url = new URL(`https://media.sandbox/${name}`)
  const request = { url, method: 'GET', headers: {}, body: Buffer.alloc(0), accountId: 'a' as AccountId } as const
  const answer = await answerMedia(request, async () => undefined)
  if (answer.kind === 'failure') throw new Error(answer.message)
  return answer
}

test.each([
  ['image.png', 'image/png', 'image'],
  ['audio.ogg', 'audio/ogg', 'audio'],
  ['video.mp4', 'video/mp4', 'video'],
  ['document.pdf', 'application/pdf', 'document'],
] as const)('%s is a small file of type %s', async (name, mimeType, type) => {
  const answer = await get(name)
  expect(answer).toMatchObject({ status: 200, truncated: false, headers: { 'content-type': mimeType } })
  expect(answer.headers['content-length']).toBe(String(answer.body.length))
  expect(answer.body.length).toBeLessThan(20_000)
  expect(answer.body).toEqual(sampleOf(type).bytes)
  expect(sampleTypeAt(`https://media.sandbox/${name}`)).toBe(type)
})

test('the sample picture is a PNG that decoders can read', () => {
  const { width, height } = PNG.sync.read(sampleOf('image').bytes)
  expect([width, height]).toEqual([64, 64])
})

test('the sample recording is Ogg with Opus, with four pages and correct checksums', () => {
  const file = sampleOf('audio').bytes
  const pages: Buffer[] = []
  for (let at = 0; at < file.length;) {
    const segments = file.subarray(at + 27, at + 27 + (file[at + 26] ?? 0))
    const length = 27 + segments.length + segments.reduce((sum, size) => sum + size, 0)
    pages.push(Buffer.from(file.subarray(at, at + length)))
    at += length
  }
  expect(pages.map((page) => page.toString('latin1', 0, 4))).toEqual(['OggS', 'OggS', 'OggS', 'OggS'])
  for (const page of pages) {
    const stated = page.readUInt32LE(22)
    page.writeUInt32LE(0, 22)
    expect(stated).toBe(oggChecksum(page))
  }
  expect(pages[0]?.toString('latin1', 28, 36)).toBe('OpusHead')
})

/** Bit by bit, as RFC 3533 words it. */
function oggChecksum(bytes: Buffer): number {
  let crc = 0n
  for (const byte of bytes) {
    crc ^= BigInt(byte) << 24n
    for (let bit = 0; bit < 8; bit++) {
      crc <<= 1n
      if (crc & 0x100000000n) crc ^= 0x104c11db7n
    }
  }
  return Number(crc)
}

test('the sample video is MP4, with boxes that fill the file and a correct offset of its one sample', () => {
  const file = sampleOf('video').bytes
  const top = boxes(file, 0, file.length)
  expect(top.map(({ type }) => type)).toEqual(['ftyp', 'moov', 'mdat'])
  const sampleAt = file.readUInt32BE(file.indexOf('stco') + 12)
  const sampleSize = file.readUInt32BE(file.indexOf('stsz') + 16)
  const mdat = top[2]
  expect(sampleAt).toBe((mdat?.at ?? 0) + 8)
  expect(sampleSize).toBe((mdat?.size ?? 0) - 8)
  expect(file.readUInt32BE(sampleAt)).toBe(sampleSize - 4)
  expect((file[sampleAt + 4] ?? 0) & 31).toBe(5)
  expect(file.subarray(sampleAt + 4).includes(Buffer.from([0, 0, 0]))).toBe(false)
})

function boxes(file: Buffer, from: number, to: number) {
  const found: { type: string; at: number; size: number }[] = []
  for (let at = from; at < to; at += found.at(-1)?.size ?? to) {
    found.push({ type: file.toString('latin1', at + 4, at + 8), at, size: file.readUInt32BE(at) })
  }
  return found
}

test('the sample document is a PDF with correct offsets of its objects', () => {
  const text = sampleOf('document').bytes.toString('latin1')
  const start = Number(/startxref\n(\d+)/.exec(text)?.[1])
  expect(text.slice(start, start + 4)).toBe('xref')
  const offsets = [...text.matchAll(/^(\d{10}) 00000 n $/gm)].map(([, offset]) => Number(offset))
  offsets.forEach((offset, i) => expect(text.slice(offset).startsWith(`${i + 1} 0 obj`)).toBe(true))
  expect(offsets).toHaveLength(5)
})

test('/missing does not exist, /huge is larger than any message may be, and other URLs have no sample', async () => {
  expect(await get('missing')).toMatchObject({ status: 404 })
  const huge = await get('huge')
  expect(huge).toMatchObject({ status: 200 })
  expect(huge.body.length).toBe(100 * 1024 * 1024 + 1)
  expect(Number(huge.headers['content-length'])).toBeGreaterThan(100 * 1024 * 1024)
  expect(sampleTypeAt('https://media.sandbox/huge')).toBeUndefined()
  expect(sampleTypeAt('https://elsewhere.example/image.png')).toBeUndefined()
  expect(sampleTypeAt('not an address')).toBeUndefined()
})
