import { describe, expect, it } from 'vitest'
import { listPartners } from '../../../renderer/rooms/instances/fusion.ts'
import { arrangeWall, pageOf } from '../../../renderer/rooms/instances/wall.ts'
import { record } from './records.ts'

const ids = (records: readonly { id: string }[]) => records.map(({ id }) => id)
const paired = { status: 'connected', connected: true } as const

describe('the pairing wall', () => {
  const records = [
    record('new', { created_at: '2026-01-04', name: 'Casa Verde' }),
    record('first', { created_at: '2026-01-01', name: 'Bakery Luz' }),
    record('done', { ...paired, last_connected_at: '2026-02-01' }),
    record('later', { ...paired, last_connected_at: '2026-02-02' }),
    record('before', paired),
    record('banned', { status: 'auth_failed', last_disconnect_reason: 'banned' }),
  ]
  const seen = new Set(['first', 'done', 'later'])

  it('shows waiting numbers first, then the ones paired on it, latest first', () => {
    const wall = arrangeWall(records, { only: undefined, seen, text: '', nowMs: 0 })
    expect(ids(wall.waiting)).toEqual(['first', 'new'])
    expect(ids(wall.finished)).toEqual(['later', 'done'])
  })

  it('shows only the numbers it was opened for', () => {
    const wall = arrangeWall(records, { only: new Set(['first', 'done']), seen, text: '', nowMs: 0 })
    expect([ids(wall.waiting), ids(wall.finished)]).toEqual([['first'], ['done']])
  })

  it('is searchable like the list', () => {
    expect(ids(arrangeWall(records, { only: undefined, seen, text: 'casa', nowMs: 0 }).waiting)).toEqual(['new'])
  })

  it('never shows an empty page after numbers are paired', () => {
    const all = [1, 2, 3, 4, 5]
    expect(pageOf(all, 0, 2)).toEqual({ from: 0, items: [1, 2] })
    expect(pageOf(all, 4, 2)).toEqual({ from: 4, items: [5] })
    expect(pageOf(all.slice(0, 3), 4, 2)).toEqual({ from: 2, items: [3] })
    expect(pageOf([], 4, 2)).toEqual({ from: 0, items: [] })
  })
})

describe('the phones an official number can be linked to', () => {
  const official = record('o', { ...paired, engine: 'official', phone_number: '12025550100' })

  it('have the same phone number and network', () => {
    const all = [
      official,
      record('same', { phone_number: '12025550100' }),
      record('live', { phone_number: '12025550100', network: 'live' }),
      record('other', { phone_number: '12025550101' }),
      record('none'),
    ]
    expect(ids(listPartners(official, all))).toEqual(['same'])
    expect(listPartners({ ...official, phone_number: null }, all)).toEqual([])
  })
})
