import { describe, expect, test } from 'vitest'
import { asConsole } from '../support/console.ts'
import { browserOf, builtConsole, signedIn, type Browser } from '../support/panel.ts'
import { worldOfTest } from '../support/world.ts'

const isIn = async (browser: Browser) => (await browser.ask('GET', '/panel/session')).status === 200
const sessions = async (browser: Browser) => (await browser.ask('GET', '/panel/v1/account/sessions')).body.data

describe('the session list', () => {
  test('is sorted by last use, and marks the current session', async () => {
    const w = await worldOfTest({ consoleFolder: builtConsole() })
    const first = await signedIn(w)
    await w.clock.advance(120_000)
    const second = await signedIn(w)
    const seen = await sessions(second)
    expect(seen).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        signed_in_at: '2026-01-05T12:02:00.000Z',
        last_used_at: '2026-01-05T12:02:00.000Z',
        current: true,
        ...{ member: null, address: '127.0.0.1', browser: null },
      },
      { ...seen[1], signed_in_at: '2026-01-05T12:00:00.000Z', current: false },
    ])
    expect(JSON.stringify(seen)).not.toContain(first.cookie.split('=')[1])
    const mine = (await sessions(first)).filter(({ current }: { current: boolean }) => current)
    expect(mine.map(({ id }: { id: string }) => id)).toEqual([seen[1].id])
  })

  test('lets sessions be ended one by one', async () => {
    const w = await worldOfTest({ consoleFolder: builtConsole() })
    const [mine, other] = [await signedIn(w), await signedIn(w)]
    const { id } = (await sessions(mine)).find(({ current }: { current: boolean }) => !current)
    expect((await mine.ask('DELETE', `/panel/v1/account/sessions/${id}`)).status).toBe(204)
    expect([await isIn(mine), await isIn(other)]).toEqual([true, false])
    expect((await mine.ask('DELETE', `/panel/v1/account/sessions/${id}`)).status).toBe(204)
    expect((await mine.ask('DELETE', '/panel/v1/account/sessions/0000000000000000')).status).toBe(204)
    expect(await isIn(mine)).toBe(true)
  })

  test('lets all other sessions be ended together; the desktop app ends all', async () => {
    const w = await worldOfTest({ consoleFolder: builtConsole() })
    const [mine, ...others] = [await signedIn(w), await signedIn(w), await signedIn(w)]
    expect((await mine.ask('DELETE', '/panel/v1/account/sessions')).body).toEqual({ ended: 2 })
    expect([await isIn(mine), ...(await Promise.all(others.map(isIn)))]).toEqual([true, false, false])
    expect((await asConsole(w)('DELETE', '/v1/account/sessions')).body).toEqual({ ended: 1 })
    expect(await isIn(mine)).toBe(false)
  })
})

test('a new password ends every session except the one that sets it, and their streams', async () => {
  const w = await worldOfTest({ consoleFolder: builtConsole() })
  const [mine, other] = [await signedIn(w), await signedIn(w)]
  const listen = (cookie: string) =>
    fetch(`${w.service.url}/panel/events`, { headers: { cookie, 'sec-fetch-site': 'same-origin' } })
  const [kept, ended] = [await listen(mine.cookie), await listen(other.cookie)]
  const end = ended.text()
  await mine.ask('PUT', '/panel/v1/service/password', { password: 'correct horse battery' })
  // It resolves only because the service has closed the stream.
  await end
  expect([await isIn(mine), await isIn(other)]).toEqual([true, false])
  await kept.body?.cancel()
  const again = browserOf(w)
  expect((await again.signIn({ password: 'correct horse battery' })).status).toBe(204)
  await mine.ask('PUT', '/panel/v1/service/password', { password: null })
  expect([await isIn(mine), await isIn(again)]).toEqual([true, false])
})

test('the sign-in screen is told whether a password is set', async () => {
  const w = await worldOfTest({ consoleFolder: builtConsole() })
  const challenge = async () => (await browserOf(w).ask('GET', '/panel/session')).headers['www-authenticate']
  const mine = await signedIn(w)
  expect(await challenge()).toBe('Session methods="code"')
  await mine.ask('PUT', '/panel/v1/service/password', { password: 'correct horse battery' })
  expect(await challenge()).toBe('Session methods="code password"')
})

describe('the first run', () => {
  const isFirst = async (browser: Browser) =>
    (await browser.ask('GET', '/panel/v1/console/overview')).body.account.first_run

  test('is over for every browser once one has completed it', async () => {
    const w = await worldOfTest({ consoleFolder: builtConsole() })
    const [mine, other] = [await signedIn(w), await signedIn(w)]
    expect([await isFirst(mine), await isFirst(other)]).toEqual([true, true])
    const named = await mine.ask('PATCH', '/panel/v1/account', { first_run: false })
    expect([named.status, named.body.name]).toEqual([200, 'My agency'])
    expect([await isFirst(mine), await isFirst(other)]).toEqual([false, false])
    await mine.ask('PATCH', '/panel/v1/account', { first_run: false, name: 'North' })
    expect(await isFirst(mine)).toBe(false)
    for (const body of [{ first_run: true }, { first_run: null }])
      expect((await mine.ask('PATCH', '/panel/v1/account', body)).status).toBe(400)
  })

  test('is over once an instance existed, even if it was deleted', async () => {
    const w = await worldOfTest({ consoleFolder: builtConsole() })
    const mine = await signedIn(w)
    const { id } = await w.instance()
    await w.api('DELETE', `/v1/instances/${id}?confirm=true`)
    expect(await isFirst(mine)).toBe(false)
  })
})
