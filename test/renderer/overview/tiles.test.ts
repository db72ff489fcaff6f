import { expect, test } from 'vitest'
import type { InstanceRecord } from '../../../main/contract/instance.ts'
import { tally } from '../../../renderer/rooms/overview/tiles.ts'

const AT = '2026-03-01T09:30:00.000Z'
const instance = (status: InstanceRecord['status'], last_connected_at: string | null = AT) =>
  ({ status, last_connected_at }) as InstanceRecord

test('counts every number once, by what a person can do about it', () => {
  const all = [
    instance('connected'),
    instance('created', null),
    instance('qr'),
    instance('passkey_required'),
    instance('recreating'),
    instance('disconnected', null),
    instance('disconnected'),
    instance('connecting'),
    instance('auth_failed'),
  ]
  expect(tally(all)).toEqual({ connected: 1, waiting: 5, troubled: 3 })
})
