import { expect, test } from 'vitest'
import { bundleOf } from '../../../renderer/rooms/settings/bundle.ts'

const WINDOW = { language: 'en', browser: 'a browser', size: '1×1' }

test('the bundle has settings and counts, and nothing that names a person, a place or a secret', () => {
  const service = {
    version: '0.1.0',
    network: 'sandbox',
    address: 'http://secret.example',
    mcp_address: 'http://secret.example/mcp',
    vault: { kind: 'file', state: 'open', notice: 'in /home/secret', problem: null },
    password_set: true,
    home: '/home/secret',
    database_bytes: 12,
    started_at: '2026-03-01T09:30:00.000Z',
    warnings: ['secret.example is open'],
    limits: { slots: 10 },
    api_key: 'swb_secret',
  } as const
  const overview = { account: { name: 'secret' }, instances: { total: 4 }, webhooks: { total: 2 } }
  const bundle = bundleOf(service, overview, WINDOW, Date.parse('2026-03-01T10:00:00.000Z'))
  expect(JSON.stringify(bundle)).not.toMatch(/secret/)
  expect(bundle).toMatchObject({
    made_at: '2026-03-01T10:00:00.000Z',
    service: { version: '0.1.0', vault: 'file, open', warnings: 1, limits: { slots: 10 } },
    counts: { instances: { total: 4 }, webhooks: { total: 2 } },
  })
})

test('without an answer of the service there is a bundle all the same', () => {
  expect(bundleOf(undefined, undefined, WINDOW, 0)).toMatchObject({ service: null, counts: null })
})
