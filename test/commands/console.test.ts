import { afterEach, beforeEach, expect, test } from 'vitest'
import { testHome, type TestHome } from '../support/service-process.ts'

let home: TestHome
beforeEach(() => {
  home = testHome()
})
afterEach(() => home.remove())

const signIn = (address: string) => {
  const { origin, hash } = new URL(address)
  const code = hash.slice('#code='.length)
  return fetch(`${origin}/panel/session`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  })
}

test('the printed link opens the console once, and npm run console prints another', async () => {
  const service = await home.start()
  const { console_url: first } = JSON.parse(service.out()) as { console_url: string }
  expect(first.startsWith(`${service.url}/console/#code=`)).toBe(true)

  const page = await fetch(first)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect((await signIn(first)).status).toBe(204)
  expect((await signIn(first)).status).toBe(401)

  const { code, out } = await home.command('console', '--json')
  expect(code).toBe(0)
  const { console_url: second } = JSON.parse(out) as { console_url: string }
  expect(second).not.toBe(first)
  expect((await signIn(second)).status).toBe(204)

  const words = await home.command('console')
  expect(words.out).toMatch(/^Open the console: http:\/\/127\.0\.0\.1:\d+\/console\/#code=[\w-]{32}\n/)
  expect(service.errors()).not.toContain('#code')
})

test('without a running service the command says how to start one', async () => {
  const { code, out, err } = await home.command('console')
  expect([code, out]).toEqual([1, ''])
  expect(err).toContain('npm start')
  expect((await home.command('console', '--nonsense')).err).toContain('Usage: npm run console')
})
