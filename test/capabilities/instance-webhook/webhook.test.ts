import { describe, expect, test } from 'vitest'
import { EVENT_NAMES } from '../../../main/capabilities/instance-webhook/contract.ts'
import { NAME_OF, parseEventNames, wants } from '../../../main/capabilities/instance-webhook/event-names.ts'
import { refusal } from '../messages/bench.ts'
import { hookWorld } from './world.ts'
import { keepsAccess } from '../../support/access.ts'

const URL = 'https://catcher.sandbox/line'

describe('setting, reading and deleting', () => {
  test('an instance has no webhook at first; a webhook that was set can be read, and deleted repeatedly', async () => {
    const w = await hookWorld()
    const instance = await w.instance()
    expect(await w.room.read(instance)).toEqual({ engine: 'smv2', url: null, events: [] })

    const set = await w.room.set(instance, { url: URL }, keepsAccess)
    expect(set).toEqual({ engine: 'smv2', url: URL, events: ['MESSAGE', 'CONNECTION'] })
    expect(await w.room.read(instance)).toEqual(set)

    await w.room.remove(instance)
    await w.room.remove(instance)
    expect(await w.room.read(instance)).toEqual({ engine: 'smv2', url: null, events: [] })
  })

  test('the URL is stored in its normalized form, and invalid spellings are refused', async () => {
    const w = await hookWorld()
    const instance = await w.instance()
    const set = await w.room.set(instance, { url: 'https://CATCHER.sandbox:443/x/../line' }, keepsAccess)
    expect([set.url, (await w.room.read(instance)).url]).toEqual([URL, URL])
    for (const url of ['https:catcher.sandbox', 'https://catcher.sandbox:0/', `${URL}\r\n`])
      expect(await refusal(w.room.set(instance, { url }, keepsAccess))).toMatchObject({ code: 'invalid_url' })
    expect((await w.room.read(instance)).url).toBe(URL)
  })

  test('its events can be changed while its host does not resolve, but its URL cannot change to such a host', async () => {
    const w = await hookWorld()
    const instance = await w.instance()
    await w.room.set(instance, { url: URL }, keepsAccess)
    const gone = 'https://gone.example/line'
    w.data.raw.prepare('UPDATE instance_webhooks SET url = ?').run(gone)
    const set = await w.room.set(instance, { url: gone, events: ['CALL'] }, keepsAccess)
    expect(set).toEqual({ engine: 'smv2', url: gone, events: ['CALL'] })
    const other = w.room.set(instance, { url: `${gone}-2`, events: ['CALL'] }, keepsAccess)
    expect(await refusal(other)).toMatchObject({ code: 'invalid_url' })
  })

  test('setting the webhook again replaces its URL and events, and does not affect other instances', async () => {
    const w = await hookWorld()
    const [one, other] = [await w.instance(), await w.instance()]
    await w.room.set(one, { url: URL, events: ['QRCODE'] }, keepsAccess)
    await w.room.set(one, { url: `${URL}-2`, events: ['GROUP', 'CALL', 'GROUP'] }, keepsAccess)
    expect(await w.room.read(one)).toEqual({ engine: 'smv2', url: `${URL}-2`, events: ['GROUP', 'CALL'] })
    expect(await w.room.read(other)).toMatchObject({ url: null })
  })

  test('the official engine ignores the given events and always sends all', async () => {
    const w = await hookWorld()
    const instance = await w.instance('official')
    for (const events of [undefined, [], ['MESSAGE'], ['no such name']]) {
      const set = await w.room.set(instance, { url: URL, ...(events && { events }) }, keepsAccess)
      expect(set).toEqual({ engine: 'official', url: URL, events: ['ALL'] })
    }
    expect(await w.room.read(instance)).toEqual({ engine: 'official', url: URL, events: ['ALL'] })
  })

  test.each([
    [['MESSAGE', 'message'], 'message'],
    [['ALL', 'PRESENCES'], 'PRESENCES'],
    [['__proto__'], '__proto__'],
    [['"); DROP TABLE instance_webhooks; --'], 'DROP TABLE'],
  ])('smv2: the names %j are refused and nothing changes', async (events, word) => {
    const w = await hookWorld()
    const instance = await w.instance()
    const error = await refusal(w.room.set(instance, { url: URL, events }, keepsAccess))
    expect(error.code).toBe('validation_error')
    expect(error.message).toContain(word)
    expect(await w.room.read(instance)).toMatchObject({ url: null })
  })

  test('smv2: an empty list is refused', async () => {
    const w = await hookWorld()
    const error = await refusal(w.room.set(await w.instance(), { url: URL, events: [] }, keepsAccess))
    expect(error.code).toBe('validation_error')
  })

  test.each([
    'http://catcher.sandbox/line',
    'https://nowhere.sandbox/line',
    'https://127.0.0.1/line',
    'https://[::1]/line',
    'https://localhost/line',
    'https://user:word@example.com/line',
    'https://inside.example/line',
    'javascript:alert(1)',
    'not an address',
  ])('the address %s is refused with invalid_url', async (url) => {
    const w = await hookWorld()
    const instance = await w.instance()
    expect(await refusal(w.room.set(instance, { url }, keepsAccess))).toMatchObject({ code: 'invalid_url' })
    expect(await w.room.read(instance)).toMatchObject({ url: null })
  })
})

describe('event names', () => {
  test('exist for every event type', () => {
    expect(NAME_OF).toEqual({
      'instance.created': 'CONNECTION',
      'instance.updated': 'CONNECTION',
      'instance.connecting': 'CONNECTION',
      'instance.connected': 'CONNECTION',
      'instance.disconnected': 'CONNECTION',
      'instance.auth_failed': 'CONNECTION',
      'instance.qr.updated': 'QRCODE',
      'instance.deleted': 'CONNECTION',
      'message.received': 'MESSAGE',
      'message.sent': 'SEND_MESSAGE',
      'message.delivered': 'READ_RECEIPT',
      'message.read': 'READ_RECEIPT',
      'message.failed': 'SEND_MESSAGE',
      'message.edited': 'MESSAGE',
      'message.deleted': 'MESSAGE',
      'message.reaction': 'MESSAGE',
    })
  })

  test('select themselves only, and ALL selects every name', () => {
    for (const name of EVENT_NAMES) {
      expect(wants(['ALL'], name)).toBe(true)
      expect(wants([name], name)).toBe(true)
    }
    expect(wants(['MESSAGE', 'QRCODE'], 'CONNECTION')).toBe(false)
  })

  test('are all accepted, and default to MESSAGE and CONNECTION', () => {
    expect(parseEventNames('smv2', EVENT_NAMES)).toEqual(EVENT_NAMES)
    expect(parseEventNames('smv2')).toEqual(['MESSAGE', 'CONNECTION'])
  })
})
