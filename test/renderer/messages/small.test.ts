import { describe, expect, test } from 'vitest'
import { initials } from '../../../renderer/parts/initials.ts'
import { sizeText } from '../../../renderer/app/numbers.ts'
import { clockText } from '../../../renderer/parts/clock-text.ts'
import { isOwnUrl, mediaKind, typeOfUrl } from '../../../renderer/rooms/messages/media.ts'
import { addressText, canWrite, digitsOf, isPerson } from '../../../renderer/rooms/messages/number.ts'
import { coalesce } from '../../../renderer/rooms/messages/coalesce.ts'
import { dayName, shortTime } from '../../../renderer/rooms/messages/time-labels.ts'
import { serviceWindow } from '../../../renderer/rooms/messages/service-window.ts'

describe('numbers', () => {
  test.each([
    ['+1 (202) 555-0123', '12025550123'],
    ['0055 11 91234 5678', '5511912345678'],
    ['12025550123', '12025550123'],
    ['12345', undefined],
    ['1234567890123456', undefined],
    ['call 12025550123', undefined],
    ['', undefined],
  ])('%s is %s', (written, digits) => expect(digitsOf(written)).toBe(digits))

  test('both engines can write to a group', () => {
    const group = '120363041234567890@g.us'
    expect([canWrite(group, 'smv2'), canWrite(group, 'official'), canWrite(group, undefined)]).toEqual([
      true,
      true,
      false,
    ])
    expect([canWrite('12025550123', 'official'), canWrite('Family', 'smv2')]).toEqual([true, false])
  })

  test.each([
    ['12025550123', undefined, '+1 202 555 0123'],
    ['900000012345678', { number: null, username: 'ana.s' }, '@ana.s'],
    ['900000012345678', { number: null, username: null }, undefined],
    ['US.13491208655302741918', undefined, undefined],
    ['US.13491208655302741918', { number: '12025550123', username: 'ana.s' }, '+1 202 555 0123'],
  ])('%s with %o is shown as %s', (phone, known, shown) => expect(addressText(phone, known)).toBe(shown))

  test('has the number of a person if known, and none of a group', () => {
    const chats = ['12025550123', '900000012345678', 'US.13491208655302741918', '120363041234567890@g.us']
    expect(chats.map(isPerson)).toEqual([true, true, true, false])
  })
})

test.each([
  ['Ana Souza', 'AS'],
  ['  Bakery  Luz of Lisbon', 'BL'],
  ['🎉🎉', '🎉'],
  ['👨‍👩‍👧‍👦 Família', '👨‍👩‍👧‍👦F'],
  ['محمد علي', 'مع'],
])('the initials of %s are %s', (name, letters) => expect(initials(name)).toBe(letters))

describe('files', () => {
  const media = { mime_type: 'image/png', filename: null, pending: false, size: 1, url: null }

  test.each([
    ['image', 'image/png', 'image'],
    ['document', 'image/png', 'file'],
    ['audio', 'audio/ogg', 'audio'],
    ['sticker', 'image/webp', 'image'],
    ['document', '', 'file'],
  ])('a message of type %s with %s is shown as %s', (type, mime_type, shown) => {
    expect(mediaKind({ type, media: { ...media, mime_type } })).toBe(shown)
  })

  test.each([
    [7, '0:07'],
    [65, '1:05'],
    [3_725, '1:02:05'],
  ])('%i seconds are %s', (seconds, text) => expect(clockText(seconds * 1_000)).toBe(text))

  test('opens only files of the service in the window', () => {
    expect(['/panel/v1/x.png', 'blob:abc', 'data:image/png;base64,AA'].every(isOwnUrl)).toBe(true)
    expect(['https://elsewhere.example/x.png', '//elsewhere.example/x.png', null].some(isOwnUrl)).toBe(false)
  })

  test.each([
    ['https://a.example/x.PNG?size=2', 'image'],
    ['https://a.example/x.pdf', 'document'],
    ['https://a.example/voice.ogg', 'audio'],
    ['https://a.example/clip.mp4#t=1', 'video'],
    ['https://a.example/path', undefined],
  ])('opens %s as %s', (url, type) => expect(typeOfUrl(url)).toBe(type))

  test('formats sizes by language', () => {
    expect(sizeText(1_204_221, 'en')).toBe('1.2 MB')
    expect(sizeText(48_211, 'pt-BR')).toMatch(/^48\skB$/)
    expect([1, 617].map((bytes) => sizeText(bytes, 'en'))).toEqual(['1 byte', '617 bytes'])
  })
})

describe('times', () => {
  const now = new Date(2026, 2, 5, 12, 0).getTime()
  const at = (day: number, month = 2, year = 2026) => new Date(year, month, day, 9, 30).toISOString()

  test('are short in a list', () => {
    expect(shortTime(at(5), now, 'en')).toMatch(/^9:30\sAM$/)
    expect(shortTime(at(3), now, 'en')).toBe('Tue')
    expect(shortTime(at(1, 1), now, 'en')).toBe('Feb 1')
    // By the calendar: six days ago is named, however late it was; the same weekday is a date.
    expect(shortTime(new Date(2026, 1, 27, 0, 5).toISOString(), now, 'en')).toBe('Fri')
    expect(shortTime(new Date(2026, 1, 26, 23, 55).toISOString(), now, 'en')).toBe('Feb 26')
    expect(shortTime(at(1, 1, 2025), now, 'en')).toBe('Feb 1, 2025')
  })

  test('a day has a name', () => {
    expect(dayName(at(5), now, 'en')).toBe('today')
    expect(dayName(at(4), now, 'es')).toBe('ayer')
    expect(dayName(at(1), now, 'en')).toBe('Sunday, March 1')
  })

  test('the official engine accepts free text for 24 hours after a received message', () => {
    expect(serviceWindow('official', at(5), now)).toBe('open')
    expect(serviceWindow('official', at(3), now)).toBe('closed')
    expect(serviceWindow('official', null, now)).toBe('never')
    expect(serviceWindow('official', undefined, now)).toBeUndefined()
    expect(serviceWindow('smv2', null, now)).toBeUndefined()
  })
})

describe('one at a time', () => {
  test('calls during a run share one more run', async () => {
    let [runs, atOnce, most] = [0, 0, 0]
    const act = coalesce(async () => {
      most = Math.max(most, ++atOnce)
      runs++
      await Promise.resolve()
      atOnce--
    })
    await Promise.all([act(), act(), act(), act()])
    expect([runs, most]).toEqual([2, 1])
  })
})
