import { afterEach, beforeEach, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { sampleOf } from '../../../main/engines/sandbox/index.ts'
import { bytesOf } from '../../support/file.ts'
import { until } from '../../support/service-process.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550200'
const ANA = '12025550101'
const BEN = '12025550102'
const { bytes, mimeType } = sampleOf('image')
const picture = { kind: 'image', bytes, mimeType, caption: 'Look' } as const

let world: LineWorld
let shop: EngineInstance
beforeEach(() => open(0.2))
afterEach(() => world.close())

async function open(mediaWaitSeconds: number): Promise<void> {
  world = await lineWorld({ mediaWaitSeconds })
  shop = await world.connect(OURS)
  // The store refuses, and the engine tries again after one and after two seconds.
  world.whatsapp.cdn.refuseDownloads(503)
}

const pendingMedia = async () => {
  const { media } = await world.heard(shop, 'received', ({ text }) => text === 'Look')
  return media!
}
const read = (id: string) => world.smv2.engine.media!(shop, id)

test('a message waits for its file only for the set time, and other chats do not wait', async () => {
  await world.close()
  await open(2)
  await world.whatsapp.phone(ANA).sendFile(OURS, picture)
  await world.whatsapp.phone(ANA).say(OURS, 'After it')
  await world.whatsapp.phone(BEN).say(OURS, 'Elsewhere')
  await world.heard(shop, 'received', ({ text }) => text === 'After it')
  expect(world.of(shop, 'received').map(({ text }) => text)).toEqual(['Elsewhere', 'Look', 'After it'])
  expect((await pendingMedia()).pending).toBe(true)
  expect(await pendingMedia()).toMatchObject({ size: bytes.length, mimeType, caption: 'Look' })
})

test('a pending file is downloaded once that is possible, and its arrival is reported', async () => {
  const id = await world.whatsapp.phone(ANA).sendFile(OURS, picture)
  const media = await pendingMedia()
  expect(world.of(shop, 'media_arrived')).toEqual([])
  world.whatsapp.cdn.refuseDownloads(null)
  const arrived = await world.heard(shop, 'media_arrived')
  expect(arrived).toEqual({ kind: 'media_arrived', engineMessageId: id, mediaId: media.id, size: bytes.length })
  expect(await bytesOf(await read(media.id))).toEqual(bytes)
})

test('a pending file is downloaded after a restart', async () => {
  await world.whatsapp.phone(ANA).sendFile(OURS, picture)
  const media = await pendingMedia()
  await until('its message is done with', () => isPublished() || undefined)
  await world.restart(shop)
  world.whatsapp.cdn.refuseDownloads(null)
  await world.heard(shop, 'media_arrived', ({ mediaId }) => mediaId === media.id)
  expect(await bytesOf(await read(media.id))).toEqual(bytes)
  expect(world.of(shop, 'received')).toHaveLength(1)
})

const isPublished = () =>
  (world.data.raw.prepare('SELECT count(*) AS n FROM smv2_inbound WHERE told = 0').get() as { n: number }).n === 0

test('reading a pending file downloads it, and fails if the store does not respond', async () => {
  await world.whatsapp.phone(ANA).sendFile(OURS, picture)
  const { id } = await pendingMedia()
  await expect(read(id)).rejects.toThrow('does not respond')
  world.whatsapp.cdn.refuseDownloads(null)
  const asked = [read(id), read(id)]
  for (const file of asked) expect(await bytesOf(await file)).toEqual(bytes)
  expect(world.whatsapp.cdn.downloads).toBe(1)
})

test('the download details of a pending file are encrypted, and deleted when the instance is wiped', async () => {
  await world.whatsapp.phone(ANA).sendFile(OURS, picture)
  const { id } = await pendingMedia()
  const [row] = world.data.raw.prepare('SELECT pending, file_id FROM smv2_media').all() as { pending: Buffer }[]
  expect(row).toMatchObject({ file_id: null })
  expect(row?.pending.includes('/v/t62')).toBe(false)
  await world.smv2.engine.wipe(shop)
  expect(world.data.raw.prepare('SELECT * FROM smv2_media').all()).toEqual([])
  expect(await read(id)).toBeNull()
})
