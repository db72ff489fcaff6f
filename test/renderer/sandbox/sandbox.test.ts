import { describe, expect, it } from 'vitest'
import { LINK_FAULTS, SEND_FAULTS, type SandboxMessage } from '../../../main/contract/sandbox.ts'
import { REPLY_NAMES, replyNameOf, replyOf } from '../../../renderer/rooms/sandbox/replies.ts'
import { FAULT_NAMES, FAULTS } from '../../../renderer/rooms/sandbox/faults.ts'
import {
  digitsOf,
  endingOf,
  ENDING_NAMES,
  freeNumber,
  isNumber,
  partnersOf,
  threadOf,
  withEnding,
} from '../../../renderer/rooms/sandbox/thread.ts'

const message = (id: string, from: string, to: string, sent_at: string, text = id) =>
  ({ id, from, to, sent_at, text, type: 'text', disappears_at: null }) as SandboxMessage

const NOW = Date.parse('2026-03-01T10:00:00.000Z')

describe('the chat of a sandbox phone', () => {
  const received = [
    message('b', '2', '1', '2026-03-01T09:02:00.000Z'),
    message('a', '3', '1', '2026-03-01T09:00:00.000Z'),
  ]
  const sent = [message('c', '1', '3', '2026-03-01T09:01:00.000Z')]

  it('has received and sent messages, oldest first', () => {
    expect(threadOf(received, sent, NOW).map(({ id }) => id)).toEqual(['a', 'c', 'b'])
  })
  it('has a message of both lists once, in its latest state', () => {
    const thread = threadOf([message('c', '1', '3', '2026-03-01T09:01:00.000Z', 'edited')], sent, NOW)
    expect(thread.map(({ text }) => text)).toEqual(['edited'])
  })
  it('shows a message until it disappears', () => {
    const [first, ...others] = received
    const fading = { ...first, disappears_at: '2026-03-01T10:00:00.000Z' } as SandboxMessage
    expect(threadOf([fading, ...others], [], NOW - 1).map(({ id }) => id)).toEqual(['a', 'b'])
    expect(threadOf([fading, ...others], [], NOW).map(({ id }) => id)).toEqual(['a'])
  })
  it('has status posts among its messages, but does not reply to them', () => {
    const status = { ...message('s', '9', '1', '2026-03-01T09:30:00.000Z'), type: 'status' }
    const thread = threadOf([status, ...received], sent, NOW)
    expect(thread.at(-1)?.id).toBe('s')
    expect(partnersOf(thread, '1')).toEqual(['2', '3'])
  })
  it('replies to the last sender', () => {
    expect(partnersOf(threadOf(received, sent, NOW), '1')).toEqual(['2', '3'])
  })
})

describe('numbers', () => {
  it('are accepted in any spelling', () => {
    expect(digitsOf('+1 (202) 555-0123')).toBe('12025550123')
    expect(isNumber('+55 11 95550-1234')).toBe(true)
    expect(isNumber('0123')).toBe(false)
    expect(isNumber('Ana')).toBe(false)
  })
  it('with faults are recognized by their ending and can be chosen', () => {
    for (const name of ENDING_NAMES) expect(endingOf(withEnding(name))).toBe(name)
    expect(endingOf('+1 202 555 0404')).toBe('notThere')
    expect(endingOf('12025550123')).toBeUndefined()
  })
  it('are suggested if they are free and have no fault', () => {
    expect(freeNumber([])).toBe('12025550123')
    expect(freeNumber(['12025550123', '12025550124'])).toBe('12025550125')
  })
})

describe('faults', () => {
  it('are exactly those of the contract, and connection faults act immediately', () => {
    expect(FAULT_NAMES.toSorted()).toEqual([...SEND_FAULTS, ...LINK_FAULTS].toSorted())
    for (const fault of LINK_FAULTS) expect(FAULTS[fault].waits).toBe(false)
    for (const fault of SEND_FAULTS) expect(FAULTS[fault].waits).toBe(true)
  })
})

describe('the answers of a catcher', () => {
  it('are recognized, whatever follows “no answer”', () => {
    for (const answer of REPLY_NAMES) expect(replyNameOf(replyOf(answer))).toBe(answer)
    expect(replyNameOf({ status: 500, delay_ms: 0, hang: true })).toBe('silent')
    expect(replyNameOf({ status: 503, delay_ms: 0, hang: false })).toBe('own')
  })
})
