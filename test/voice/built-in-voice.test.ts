import { resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import type { AccountId } from '../../main/kernel/ids.ts'
import { createBuiltInVoice } from '../../main/voice/speech/built-in.ts'
import { piecesOf } from '../../main/voice/speech/pieces.ts'
import { fakeClock } from '../support/clock.ts'

const [GREEDY, OTHER] = ['acc_greedy', 'acc_other'] as [AccountId, AccountId]
/** The greatest length that is spoken, without a place to pause. No part of it is in that of another number. */
const longest = (n: number) => Array.from({ length: 400 }, (_, i) => 10_000 + n * 400 + i).join('')
const PROSE = 'Your order has left our shop today. It will arrive on Monday, or on Tuesday at the latest. '

function voiceOfTest(clock: Parameters<typeof createBuiltInVoice>[0]['clock'] = systemClock) {
  const voice = createBuiltInVoice({ clock, program: resolve(import.meta.dirname, 'counting-flite-child.ts') })
  onTestFinished(() => voice.close())
  const heard = new Map<AccountId, number>()
  const heardBy = (accountId: AccountId) => heard.get(accountId) ?? 0
  return {
    heardBy,
    /** @returns how many pieces the voice had made when the last one was ready. */
    async say(accountId: AccountId, text: string, signal = new AbortController().signal): Promise<number> {
      let made = 0
      for await (const pcm of voice.of(accountId).say(text, 'slt', signal)) {
        heard.set(accountId, heardBy(accountId) + 1)
        made = pcm[0] ?? 0
      }
      return made
    },
  }
}

test('speaks a text sentence by sentence, without leaving anything out', () => {
  const pieces = piecesOf(PROSE.repeat(3))
  expect(pieces.join(' ')).toBe(PROSE.repeat(3).trim())
  expect(pieces.every((piece) => /[.]$/.test(piece))).toBe(true)
  for (const text of [longest(0), 'word '.repeat(400), ' ', '?', 'One. Two. Three.', `${'a'.repeat(300)}. End.`]) {
    const parts = piecesOf(text)
    expect(parts.every(({ length }) => length > 0 && length <= 120)).toBe(true)
    expect(parts.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''))
  }
})

test.each([1, 64])(
  'the longest texts in %i calls of an account delay another account by one sentence',
  async (calls) => {
    const { say, heardBy } = voiceOfTest()
    const all = Array.from({ length: calls }, (_, n) => say(GREEDY, longest(n)))
    await expect.poll(() => heardBy(GREEDY)).toBeGreaterThan(0)
    const before = heardBy(GREEDY)
    expect(await say(OTHER, 'Hello.')).toBeLessThanOrEqual(before + 4)
    await Promise.all(all)
    expect(heardBy(GREEDY)).toBeGreaterThanOrEqual(16 * calls)
  },
)

test('does not synthesize sound for a call that ended', async () => {
  const { say, heardBy } = voiceOfTest()
  const hungUp = new AbortController()
  const talks = say(GREEDY, longest(0), hungUp.signal)
  await expect.poll(() => heardBy(GREEDY)).toBeGreaterThan(1)
  hungUp.abort()
  await talks
  const before = heardBy(GREEDY)
  // At most the one that was being made.
  expect(await say(OTHER, 'Goodbye.')).toBeLessThanOrEqual(before + 2)
  expect(heardBy(GREEDY)).toBe(before)
})

test('synthesizes a sentence once for calls that say the same, even if one hangs up', async () => {
  const { say } = voiceOfTest()
  const hungUp = new AbortController()
  const [first, second, third] = [
    say(GREEDY, 'Hello.', hungUp.signal),
    say(GREEDY, 'Hello.'),
    say(OTHER, 'Hello.'),
  ] as const
  hungUp.abort()
  expect(await Promise.all([first, second, third])).toEqual([0, 1, 1])
  expect(await say(OTHER, 'Next.')).toBe(2)
})

test('a thread that ends fails its sentence, and the next sentence is spoken', async () => {
  const { say } = voiceOfTest()
  const failed = say(GREEDY, 'fail')
  const next = say(OTHER, 'Hello.')
  await expect(failed).rejects.toThrow('The built-in voice failed.')
  expect(await next).toBe(1)
})

test('abandons a sentence that takes too long and speaks the next one', async () => {
  const clock = fakeClock()
  const { say } = voiceOfTest(clock)
  const hangs = say(GREEDY, 'hang')
  const next = say(OTHER, 'Hello.')
  hangs.catch(() => {})
  await clock.advance(31_000)
  await expect(hangs).rejects.toThrow('The built-in voice failed.')
  expect(await next).toBe(1)
})
