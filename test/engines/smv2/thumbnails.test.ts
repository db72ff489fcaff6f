import { expect, test } from 'vitest'
import { createDescribeFile } from '../../../main/engines/smv2/thumbnails.ts'
import { contentOf } from '../../../main/kernel/file-content.ts'
import type { AccountId } from '../../../main/kernel/ids.ts'
import type { Converted } from '../../../main/kernel/media-converter.ts'
import { fakeClock } from '../../support/clock.ts'
import { sampleFile } from '../../support/samples.ts'

const ANA = 'acc_ana' as AccountId
const PHOTO = contentOf(sampleFile('photo.jpg'))
const SMALL: Converted = { kind: 'done', bytes: Buffer.from('small'), loudness: null }

function describing() {
  const clock = fakeClock()
  const asked: ((converted: Converted) => void)[] = []
  const convert = () => new Promise<Converted>((resolve) => asked.push(resolve))
  const describe = createDescribeFile({ clock, converter: { convert }, waitMs: () => 5_000 })
  return { clock, asked, describe: (content = PHOTO) => describe(ANA, 'image', 'image/jpeg', content) }
}

test('the thumbnail of a file that is sent to many people is made once', async () => {
  const { asked, describe } = describing()
  const both = [describe(), describe()]
  await expect.poll(() => asked.length).toBe(1)
  asked[0]?.(SMALL)
  for (const one of [...both, describe()])
    expect(await one).toEqual({ width: 400, height: 300, thumbnail: Buffer.from('small') })
  expect(asked).toHaveLength(1)
})

test('a message does not wait for a slow thumbnail, and the next one with the same file has it', async () => {
  const { clock, asked, describe } = describing()
  const first = describe()
  await expect.poll(() => asked.length).toBe(1)
  await clock.advance(5_000)
  expect(await first).toEqual({ width: 400, height: 300 })
  asked[0]?.(SMALL)
  expect(await describe()).toHaveProperty('thumbnail')
  expect([asked.length, clock.waiting()]).toEqual([1, 0])
})

test('a thumbnail that failed temporarily is tried again, and one of an unreadable file is not', async () => {
  const { asked, describe } = describing()
  for (const [count, kind] of [
    [1, 'unavailable'],
    [2, 'too_slow'],
    [3, 'unreadable'],
  ] as const) {
    const described = describe()
    await expect.poll(() => asked.length).toBe(count)
    asked[count - 1]?.({ kind })
    expect(await described).not.toHaveProperty('thumbnail')
  }
  expect(await describe()).not.toHaveProperty('thumbnail')
  expect(asked).toHaveLength(3)
})

test('a picture over 30 megapixels is not decoded', async () => {
  const { asked, describe } = describing()
  const huge = sampleFile('photo.jpg')
  const frame = huge.indexOf(Buffer.from('ffc0', 'hex'))
  huge.writeUInt16BE(6_000, frame + 5)
  huge.writeUInt16BE(6_000, frame + 7)
  expect(await describe(contentOf(huge))).toEqual({ width: 6_000, height: 6_000 })
  expect(asked).toEqual([])
})
