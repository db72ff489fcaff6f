import { describe, expect, test } from 'vitest'
import { clockText, lengthText } from '../../../renderer/parts/clock-text.ts'
import { momentLink, momentOf, momentText } from '../../../renderer/rooms/recordings/moment.ts'
import { endOfSilence, silentSpans } from '../../../renderer/rooms/recordings/silence.ts'
import { asText, lineAt, linesWith, piecesOf } from '../../../renderer/rooms/recordings/transcript.ts'

const line = (speaker: 'agent' | 'person', start_ms: number, end_ms: number, text: string) => ({
  ...{ speaker, start_ms, end_ms, text },
})
const LINES = [
  line('agent', 300, 2_100, 'Olá, aqui é a Ana.'),
  line('person', 2_600, 4_000, 'Vocês abrem amanhã?'),
  line('agent', 4_500, 9_000, 'Sim, amanhã das 8 às 18. Até amanhã!'),
]

test.each([
  [0, '0:00'],
  [999, '0:00'],
  [65_000, '1:05'],
  [3_725_000, '1:02:05'],
  [-20, '0:00'],
])('%i ms is %s', (ms, text) => expect(clockText(ms)).toBe(text))

test('rounds the length of a recording like the service', () => {
  expect([lengthText(28_580), lengthText(28_400)]).toEqual(['0:29', '0:28'])
})

describe('silence', () => {
  /** Spans of 100 ms each. */
  const peaks = (agent: string, person = '.'.repeat(agent.length)) => {
    const read = (side: string) => Array.from(side, (letter) => (letter === '#' ? 0.4 : 0))
    return { duration_ms: agent.length * 100, agent: read(agent), person: read(person) }
  }

  test('is where neither side speaks for a second, without margins', () => {
    const spans = silentSpans(peaks('###............###', '####..............'))
    expect(spans).toEqual([{ fromMs: 600, toMs: 1_300 }])
    expect(silentSpans(peaks('###.........###')), 'a short pause').toEqual([])
    expect(silentSpans(peaks('###............###', '........#.........')), 'the other one speaks').toEqual([])
  })

  test('is skipped entirely before the first word and after the last', () => {
    expect(silentSpans(peaks('............###............'))).toEqual([
      { fromMs: 0, toMs: 1_000 },
      { fromMs: 1_700, toMs: 2_700 },
    ])
  })

  test('ends near the next word, and seeking there does not skip again', () => {
    const spans = silentSpans(peaks('###............###'))
    expect(endOfSilence(spans, 400)).toBeUndefined()
    expect(endOfSilence(spans, 600)).toBe(1_300)
    expect(endOfSilence(spans, 1_300)).toBeUndefined()
  })

  test('is not found without a waveform', () => {
    expect(silentSpans({ duration_ms: 5_000, agent: [], person: [] })).toEqual([])
  })
})

describe('the transcript', () => {
  test('finds the last line spoken at a position', () => {
    expect([0, 300, 2_300, 4_499, 4_500, 60_000].map((ms) => lineAt(LINES, ms))).toEqual([-1, 0, 0, 1, 2, 2])
  })

  test('is searched ignoring case and accents', () => {
    expect(linesWith(LINES, 'AMANHA')).toEqual([1, 2])
    expect(linesWith(LINES, '  ')).toEqual([])
    const found = piecesOf('Sim, amanhã das 8 às 18. Até amanhã!', 'amanha').filter(({ isFound }) => isFound)
    expect(found.map(({ text }) => text)).toEqual(['amanhã', 'amanhã'])
  })

  test.each(['aab', 'ab', 'b aab', 'aaab', '', 'áAb'])('highlighting keeps the text: %s', (text) => {
    const pieces = piecesOf(text, 'aab')
    expect(pieces.map((piece) => piece.text).join('')).toBe(text)
    expect(pieces.some(({ isFound }) => isFound)).toBe(/aab/i.test(text.normalize('NFD').replace(/\p{M}/gu, '')))
  })

  test('is copied as text with times and names', () => {
    expect(asText(LINES.slice(0, 1), (speaker) => (speaker === 'agent' ? 'Ana' : 'Bia'), clockText)).toBe(
      '[0:00] Ana: Olá, aqui é a Ana.',
    )
  })
})

describe('a link to a moment', () => {
  const place = { instanceId: 'i', recordingId: 'r', atMs: 12_460, pageUrl: 'https://x.example/console/?account=a' }

  test('opens the recording at its position, in a browser and in the app', () => {
    expect(momentLink({ ...place, isDesktop: false })).toBe(
      'https://x.example/console/?account=a#/recordings/i/r?t=12.46',
    )
    expect(momentLink({ ...place, isDesktop: true })).toBe('switchboard://recordings/i/r?t=12.46')
  })

  test('is parsed, if it is a number', () => {
    expect(momentOf(momentText(12_460))).toBe(12_460)
    expect([undefined, '', '-1', '1e9', 'x', ['1'], '12345678'].map(momentOf)).toEqual(Array(7).fill(undefined))
  })
})
