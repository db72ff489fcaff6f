import { describe, expect, test } from 'vitest'
import type { PreferencesView } from '../../main/contract/window-bridge.ts'
import { handleRequests } from '../../main/shell/window-requests.ts'

type Handler = (event: object, ...given: unknown[]) => Promise<unknown>

const VIEW: PreferencesView = {
  closing: 'ask',
  notes: { lost: true, deliveries: true, messages: false },
  opensAtLogin: null,
}

const handlers = new Map<string, Handler>()
const acted: unknown[] = []
const act =
  (name: string) =>
  async (...given: unknown[]) => {
    acted.push([name, ...given])
    return VIEW as never
  }
handleRequests(
  { handle: (name, handler) => void handlers.set(name, handler as Handler) },
  {
    readPreferences: act('readPreferences'),
    changePreferences: act('changePreferences'),
    readUpdate: act('readUpdate'),
    lookForUpdate: act('lookForUpdate'),
    fetchUpdate: act('fetchUpdate'),
    restartToUpdate: act('restartToUpdate'),
    readPasskeyReadiness: act('readPasskeyReadiness'),
    setUnsaved: act('setUnsaved'),
    signPasskey: act('signPasskey'),
  },
)

const OWN = { url: 'app://switchboard/#/settings', parent: null }
const ask = (senderFrame: object | null, name: string, ...given: unknown[]) =>
  handlers.get(name)?.({ senderFrame }, ...given)

const FOREIGN: readonly [string, object | null][] = [
  ['a frame that is gone', null],
  ['a frame within the page', { url: 'app://switchboard/', parent: OWN }],
  ['a page of another host', { url: 'app://evil/', parent: null }],
  ['a page of the web', { url: 'https://switchboard/', parent: null }],
  ['a page without an origin', { url: 'data:text/html,x', parent: null }],
  ['an empty page', { url: 'about:blank', parent: null }],
]

describe.each(FOREIGN)('%s', (_, frame) => {
  test('is refused by every request without effect', async () => {
    acted.length = 0
    for (const name of handlers.keys()) await expect(ask(frame, name)).rejects.toThrow('refused')
    expect(handlers.size).toBe(9)
    expect(acted).toEqual([])
  })
})

describe('the window itself', () => {
  test('is answered', async () => {
    acted.length = 0
    expect(await ask(OWN, 'readPreferences')).toEqual(VIEW)
    await ask(OWN, 'changePreferences', { closing: 'hide', notes: { messages: true }, opensAtLogin: true })
    expect(acted).toEqual([
      ['readPreferences'],
      ['changePreferences', { closing: 'hide', notes: { messages: true }, opensAtLogin: true }],
    ])
  })

  test.each([
    ['readPreferences', [{}]],
    ['changePreferences', []],
    ['changePreferences', [{}, {}]],
    ['changePreferences', ['hide']],
    ['changePreferences', [null]],
    ['changePreferences', [{ closing: 'burn' }]],
    ['changePreferences', [{ notes: { lost: 'yes' } }]],
    ['changePreferences', [{ notes: { other: true } }]],
    ['changePreferences', [{ opensAtLogin: 1 }]],
    ['changePreferences', [{ path: '/etc' }]],
    ['setUnsaved', [true]],
    ['setUnsaved', [{}]],
    ['restartToUpdate', ['/tmp/x']],
    ['readPasskeyReadiness', [{ path: '/etc' }]],
    ['signPasskey', []],
    ['signPasskey', [{ options: {} }]],
    ['signPasskey', [{ options: { challenge: 'AAAA' }, page: 'https://example.com' }]],
  ])('gets an error for %s with %j', async (name, given) => {
    acted.length = 0
    await expect(ask(OWN, name, ...given)).rejects.toThrow()
    expect(acted).toEqual([])
  })
})
