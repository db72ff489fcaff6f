import { afterAll, describe, expect, test } from 'vitest'
import { factsOf } from '../../main/engines/smv2/media-facts.ts'
import { contentOf } from '../../main/kernel/file-content.ts'
import type { AccountId } from '../../main/kernel/ids.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { createMediaConverter, type MediaConverter } from '../../main/kernel/media-converter.ts'
import type { MediaTarget } from '../../main/kernel/media-targets.ts'
import { isVoiceNote } from '../../main/kernel/voice-note.ts'
import { fakeClock, patientClock } from '../support/clock.ts'
import { MEDIA_PROGRAM } from '../support/media-program.ts'
import { sampleFile, turnedPhoto, wave } from '../support/samples.ts'

const ANA = 'acc_ana' as AccountId
const BEN = 'acc_ben' as AccountId

const converter = createMediaConverter({ clock: patientClock, log: silentLog, program: MEDIA_PROGRAM })
afterAll(() => converter.close())

async function converted(target: MediaTarget, bytes: Buffer, using: MediaConverter = converter) {
  const result = await using.convert(ANA, target, contentOf(bytes))
  if (result.kind !== 'done') throw new Error(result.kind)
  return result
}
const factsOfConverted = async (target: MediaTarget, type: 'image' | 'audio' | 'video' | 'sticker', bytes: Buffer) =>
  factsOf(type, (await converted(target, bytes)).bytes)

describe('images', () => {
  test('become small JPEGs that keep their proportions, the right way up', async () => {
    const small = await converted('thumbnail', sampleFile('photo.jpg'))
    expect(small.bytes.readUInt16BE(0)).toBe(0xffd8)
    expect(small.bytes.length).toBeLessThan(4_000)
    expect(factsOf('image', small.bytes)).toEqual({ width: 128, height: 96 })
    expect(await factsOfConverted('thumbnail', 'image', turnedPhoto())).toEqual({ width: 96, height: 128 })
    expect(await factsOfConverted('thumbnail', 'image', sampleFile('clip.mp4'))).toEqual({ width: 128, height: 72 })
    expect(await factsOfConverted('thumbnail', 'image', sampleFile('moving.gif'))).toEqual({ width: 64, height: 48 })
  })

  test('become stickers on a transparent square; a GIF stays animated', async () => {
    const size = { width: 512, height: 512 }
    expect(await factsOfConverted('webp', 'sticker', sampleFile('photo.jpg'))).toEqual(size)
    expect(await factsOfConverted('webp', 'sticker', sampleFile('moving.gif'))).toEqual({ ...size, isAnimated: true })
  })

  test('a GIF becomes a video', async () => {
    expect(await factsOfConverted('mp4', 'video', sampleFile('moving.gif'))).toEqual({
      width: 64,
      height: 48,
      seconds: 1,
    })
  })
})

describe('audio files', () => {
  test.each([
    ['mp3', sampleFile('tone.mp3')],
    ['m4a', sampleFile('tone.m4a')],
    ['wav', wave(2)],
  ])('%s becomes a voice note with a waveform', async (_, bytes) => {
    const { bytes: ogg, loudness } = await converted('voice', bytes)
    expect(factsOf('audio', ogg)).toMatchObject({ seconds: 2, isVoice: true })
    expect(isVoiceNote(ogg)).toBe(true)
    const bars = [...(loudness ?? [])]
    expect(bars).toHaveLength(64)
    expect(Math.min(...bars.slice(2, 28))).toBeGreaterThan(50)
    expect(Math.max(...bars.slice(36))).toBeLessThan(5)
  })
})

describe('files that cannot be converted', () => {
  test.each([
    ['text', Buffer.from('Hello '.repeat(500))],
    ['a picture that is cut off', sampleFile('photo.jpg').subarray(0, 300)],
    ['nothing', Buffer.alloc(0)],
  ])('%s is unreadable, and the next file is converted', async (_, bytes) => {
    expect(await converter.convert(ANA, 'voice', contentOf(bytes))).toEqual({ kind: 'unreadable' })
    expect((await converted('thumbnail', sampleFile('photo.jpg'))).kind).toBe('done')
  })

  test('a file that needs too much memory is unreadable', async () => {
    const bomb = sampleFile('photo.jpg')
    const frame = bomb.indexOf(Buffer.from('ffc0', 'hex'))
    bomb.writeUInt16BE(65_000, frame + 5)
    bomb.writeUInt16BE(65_000, frame + 7)
    expect(await converter.convert(ANA, 'thumbnail', contentOf(bomb))).toEqual({ kind: 'unreadable' })
  })
})

describe('time limits', () => {
  const slow = () => {
    const clock = fakeClock()
    return { clock, converter: createMediaConverter({ clock, log: silentLog, program: MEDIA_PROGRAM }) }
  }

  test('a thread that takes too long is ended, and the next file gets a new one', async () => {
    const { clock, converter: limited } = slow()
    const long = limited.convert(ANA, 'voice', contentOf(wave(600, 4_000)))
    await clock.advance(10_000)
    expect(await long).toEqual({ kind: 'too_slow' })
    expect((await converted('voice', wave(1), limited)).kind).toBe('done')
    await limited.close()
    expect(clock.waiting()).toBe(0)
  })

  test('a long audio file does not delay an image; accounts take turns; a file that waits too long is not converted', async () => {
    const { converter: limited } = slow()
    const order: string[] = []
    const convert = (account: AccountId, name: string, target: MediaTarget, bytes: Buffer) =>
      limited.convert(account, target, contentOf(bytes)).then(({ kind }) => {
        order.push(name)
        return kind
      })
    const first = convert(ANA, 'first', 'voice', wave(1))
    const second = convert(ANA, 'second', 'voice', wave(1))
    const other = convert(BEN, 'other', 'voice', wave(1))
    expect(await convert(ANA, 'picture', 'thumbnail', sampleFile('photo.jpg'))).toBe('done')
    await Promise.all([first, second, other])
    expect(order.filter((name) => name !== 'picture')).toEqual(['first', 'other', 'second'])

    const busy = Array.from({ length: 40 }, () => limited.convert(ANA, 'voice', contentOf(wave(1))))
    expect(await busy.at(-1)).toEqual({ kind: 'unavailable' })
    await limited.close()
    expect(await busy[20]).toEqual({ kind: 'unavailable' })
  })

  test('a build without the program converts nothing', async () => {
    const none = createMediaConverter({ clock: fakeClock(), log: silentLog, program: null })
    expect(await none.convert(ANA, 'thumbnail', contentOf(sampleFile('photo.jpg')))).toEqual({ kind: 'unavailable' })
  })
})
