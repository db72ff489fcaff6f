import { describe, expect, it } from 'vitest'
import {
  advanceSync,
  positionAfterFirstPage,
  applyChanges,
  startSync,
} from '../../../renderer/rooms/instances/changes.ts'
import { answer, gone, record } from './records.ts'

describe('updating the list of instances', () => {
  it('continues from the latest change of the first page, or from the start', () => {
    const page = [record('a', { updated_at: at(5) }), record('b', { updated_at: at(9) })]
    expect(positionAfterFirstPage(page)).toEqual({ since: at(9) })
    expect(positionAfterFirstPage([]).since).toBe('1970-01-01T00:00:00.000Z')
  })

  it('adds changed and new instances and removes deleted ones', () => {
    const before = new Map([record('a'), record('b')].map((each) => [each.id, each]))
    const next = applyChanges(
      before,
      answer({ data: [record('a', { name: 'New name' }), record('c')], deleted: [gone('b')] }),
    )
    expect([...next.keys()]).toEqual(['a', 'c'])
    expect(next.get('a')?.name).toBe('New name')
    expect(before.size, 'what is on screen is replaced, not changed').toBe(2)
  })

  it('applies a deletion over a change in the same answer', () => {
    expect(applyChanges(new Map(), answer({ data: [record('a')], deleted: [gone('a')] })).size).toBe(0)
  })

  it('returns the same list if nothing changed', () => {
    const before = new Map([['a', record('a')]])
    expect(applyChanges(before, answer({ deleted: [gone('long-gone')] }))).toBe(before)
  })

  it('follows the cursor while there are more changes', () => {
    const step = advanceSync(
      startSync({ since: at(1) }),
      answer({ has_more: true, next_cursor: 'next', deleted_has_more: true }),
    )
    expect(step).toMatchObject({ isDone: false, position: { since: at(1), cursor: 'next' } })
  })

  it('then continues from the last deletion while there are more', () => {
    const step = advanceSync(
      startSync({ since: at(1) }),
      answer({ deleted: [gone('a', at(3))], deleted_has_more: true }),
    )
    expect(step).toMatchObject({ isDone: false, position: { since: at(3) } })
    expect(step.position).not.toHaveProperty('cursor')
  })

  it('ends at the latest change or deletion of everything it read', () => {
    const first = advanceSync(
      startSync({ since: at(1) }),
      answer({ data: [record('a', { updated_at: at(8) })], has_more: true, next_cursor: 'n' }),
    )
    const second = advanceSync(first, answer({ deleted: [gone('b', at(4))] }))
    expect(second).toMatchObject({ isDone: true, position: { since: at(8) } })
    expect(advanceSync(startSync({ since: at(1) }), answer({})).position).toEqual({ since: at(1) })
  })
})

const at = (seconds: number) => `2026-03-01T09:30:0${seconds}.000Z`
