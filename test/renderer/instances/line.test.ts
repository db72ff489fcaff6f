import { expect, test } from 'vitest'
import { losesLogin, toForm, toPatch, type LineSettings } from '../../../renderer/rooms/instances/line.ts'

const PACE = { per_minute: null, burst: null, chat_per_minute: null, chat_burst: null, spacing_ms: null }
const SETTINGS: LineSettings = {
  pace: { ...PACE, per_minute: 10 },
  default_pace: { per_minute: 30, burst: 10, chat_per_minute: 20, chat_burst: 5, spacing_ms: 500 },
  online: false,
  proxy: { type: 'socks5', host: 'proxy.example.com', port: 1080, has_credentials: true },
}

test('an unchanged form sends nothing, which keeps a stored login', () => {
  expect(toPatch(SETTINGS, toForm(SETTINGS))).toEqual({})
  expect(toPatch({ ...SETTINGS, proxy: null }, toForm({ ...SETTINGS, proxy: null }))).toEqual({})
})

test('sends only differences; an empty pace is the default', () => {
  const form = toForm(SETTINGS)
  form.pace.per_minute = ' '
  form.pace.burst = '3'
  form.online = true
  expect(toPatch(SETTINGS, form)).toEqual({ pace: { per_minute: null, burst: 3 }, online: true })
})

test('a proxy is replaced as a whole, or removed', () => {
  const form = toForm(SETTINGS)
  form.proxy.host = ' other.example.com '
  expect(losesLogin(SETTINGS, form)).toBe(true)
  const place = { type: 'socks5', host: 'other.example.com', port: 1080 }
  expect(toPatch(SETTINGS, form)).toEqual({ proxy: place })
  Object.assign(form.proxy, { username: 'ana', password: 'secret' })
  expect(losesLogin(SETTINGS, form)).toBe(false)
  expect(toPatch(SETTINGS, form)).toEqual({ proxy: { ...place, username: 'ana', password: 'secret' } })
  form.proxy.type = 'none'
  expect(toPatch(SETTINGS, form)).toEqual({ proxy: null })
})
