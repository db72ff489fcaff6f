import { describe, expect, test } from 'vitest'
import { extractCoaching, extractSummary } from '../../../main/capabilities/voice/summary.ts'
import type { TranscriptLine } from '../../../main/contract/voice.ts'

const said = (speaker: TranscriptLine['speaker'], second: number): TranscriptLine => ({
  ...{ speaker, text: 'Hello there', start_ms: second * 1_000, end_ms: second * 1_000 + 1_000 },
})
const told = (...lines: readonly TranscriptLine[]) => ({
  ...({ lines, durationMs: 4_000, status: 'completed', reason: 'person_hung_up' } as const),
})

describe('the summary from the transcript alone', () => {
  test('counts one line as one line', () => {
    expect(extractSummary(told(said('person', 0), said('agent', 1)))).toContain('1 line by the agent, 1 by the person')
    expect(extractSummary(told(said('agent', 0), said('person', 1), said('agent', 2)))).toContain(
      '2 lines by the agent',
    )
  })

  test('formats shares as English does, and one answer in the singular', () => {
    const notes = extractCoaching(told(said('person', 0), said('agent', 1)))
    expect(notes[0]).toMatch(/^The agent spoke 50% of the time/)
    expect(notes[1]).toBe('The only answer began within 2.5 s.')
    expect(extractCoaching(told(said('person', 0), said('agent', 8)))[1]).toMatch(/^1 of 1 answer began after/)
  })
})
