import { expect, test } from 'vitest'
import { agendaOf } from '../../../renderer/rooms/calls/agenda.ts'
import { readNumbers } from '../../../renderer/rooms/calls/call-numbers.ts'
import { courseOf, type CallRow } from '../../../renderer/rooms/calls/call-state.ts'
import { CALL_EXAMPLE } from '../../../main/contract/voice-examples.ts'

const call = (id: string, scheduled_at: string, batch_id: string | null = null): CallRow => ({
  ...{ ...CALL_EXAMPLE, id, scheduled_at, batch_id },
  ...{ instance_name: 'Sales', person_name: null },
})

test('groups upcoming calls by day of the zone, with one item per batch and day', () => {
  const calls = [
    call('a', '2026-03-02T01:00:00.000Z', 'batch'),
    call('b', '2026-03-02T02:00:00.000Z'),
    call('c', '2026-03-02T03:30:00.000Z', 'batch'),
    call('d', '2026-03-02T03:40:00.000Z', 'batch'),
  ]
  const days = agendaOf(calls, 'America/Sao_Paulo')
  expect(days.map(({ day, count }) => [day, count])).toEqual([
    ['2026-03-01', 2],
    ['2026-03-02', 2],
  ])
  const shape = days.map(({ items }) =>
    items.map(({ batchId, calls: together }) => [batchId, ...together.map((x) => x.id)]),
  )
  expect(shape).toEqual([
    [
      ['batch', 'a'],
      [null, 'b'],
    ],
    [['batch', 'c', 'd']],
  ])
})

test('a list of numbers has each once and names invalid ones', () => {
  const cells = ['+1 202 555 0123', '12025550123', 'Ana', '', '+55 11 91234-5678', '12']
  const table = { columns: [], rows: cells.map((cell, n) => ({ line: n + 1, cells: ['x', cell] })) }
  expect(readNumbers(table, 1)).toEqual({
    numbers: ['+1 202 555 0123', '+55 11 91234-5678'],
    skipped: [
      { to_number: '12025550123', reason: 'duplicate' },
      { to_number: 'Ana', reason: 'invalid_number' },
      { to_number: '12', reason: 'invalid_number' },
    ],
  })
})

test('the steps of a call begin with its time only if it was scheduled', () => {
  const at = '2026-03-02T12:00:00.000Z'
  const made = { ...CALL_EXAMPLE, created_at: at, scheduled_at: at, started_at: at, answered_at: null, ended_at: at }
  expect(courseOf(made).map(({ step }) => step)).toEqual(['started', 'ended'])
  const later = { ...made, scheduled_at: '2026-03-02T13:00:00.000Z' }
  expect(courseOf(later).map(({ step }) => step)).toEqual(['scheduled', 'started', 'ended'])
})
