import { type InstanceRecord } from '../../../contract/instance.ts'

export const EXAMPLE: InstanceRecord = {
  id: '019b8d40-5c1e-7d2a-a6f3-0e9b8c7d6a51',
  name: 'Acme support',
  instance_name: 'acme-support',
  engine: 'smv2',
  status: 'connected',
  status_since: '2026-03-01T09:31:12.478Z',
  connected: true,
  logged_in: true,
  network: 'sandbox',
  phone_number: '12025550123',
  profile_name: 'Acme',
  external_ref: 'customer-42',
  metadata: { plan: 'gold' },
  created_at: '2026-03-01T09:30:00.000Z',
  updated_at: '2026-03-01T09:31:12.480Z',
  last_connected_at: '2026-03-01T09:31:12.478Z',
  last_disconnect_reason: null,
  banned_until: null,
}
