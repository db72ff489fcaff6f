import { expect, test } from 'vitest'
import { toDiagnostics } from '../../../renderer/rooms/settings/diagnostics.ts'

const WINDOW = { language: 'en', browser: 'a browser', size: '1×1' }

test('the bundle has facts of the service and of the window', () => {
  const service = { version: '0.1.0', counts: { instances: { total: 4 } } }
  expect(toDiagnostics(service, WINDOW, Date.parse('2026-03-01T10:00:00.000Z'))).toEqual({
    made_at: '2026-03-01T10:00:00.000Z',
    window: WINDOW,
    service,
  })
})

test('the bundle works without an answer of the service', () => {
  expect(toDiagnostics(null, WINDOW, 0)).toEqual({ made_at: '1970-01-01T00:00:00.000Z', window: WINDOW, service: null })
})
