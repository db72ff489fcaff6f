import type { ChangeList, DeletedInstance, InstanceRecord } from '../../../main/contract/instance.ts'

export const record = (id: string, more: Partial<InstanceRecord> = {}): InstanceRecord => ({
  id,
  name: `Name of ${id}`,
  instance_name: id,
  engine: 'smv2',
  status: 'created',
  status_since: '2026-03-01T09:30:00.000Z',
  connected: false,
  logged_in: false,
  network: 'sandbox',
  phone_number: null,
  profile_name: null,
  external_ref: null,
  metadata: null,
  created_at: '2026-03-01T09:30:00.000Z',
  updated_at: '2026-03-01T09:30:00.000Z',
  last_connected_at: null,
  last_disconnect_reason: null,
  banned_until: null,
  ...more,
})

export const gone = (id: string, deleted_at = '2026-03-01T09:30:00.000Z'): DeletedInstance => ({
  id,
  external_ref: null,
  metadata: null,
  deleted_at,
})

export const answer = (more: Partial<ChangeList>): ChangeList => ({
  data: [],
  deleted: [],
  next_cursor: null,
  has_more: false,
  deleted_has_more: false,
  ...more,
})
