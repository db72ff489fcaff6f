import { expect, test } from 'vitest'
import { Secret } from '../../../main/kernel/secret.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { asConsole } from '../../support/console.ts'
import { browserOf, builtConsole, newCode } from '../../support/panel.ts'
import { worldOfTest } from '../../support/world.ts'

const PASSWORD = 'a very secret password'
const PASSPHRASE = 'a passphrase nobody knows'

test('the diagnostics contain versions, settings, counts and log lines, and no secret, name, number or text of the home', async () => {
  const w = await worldOfTest({
    consoleFolder: builtConsole(),
    log: { ...silentLog },
    settings: { vaultPassphrase: new Secret(PASSPHRASE), allowedHosts: ['agency.example'] },
  })
  const console = asConsole(w)
  await console('PATCH', '/v1/account', { name: 'Bakery Luz' })
  const paired = await w.pair('12025550142', { name: 'Front desk of Luz', external_ref: 'client-41' })
  await w.api('POST', `/v1/instances/${paired.id}/messages`, { to: '12025550177', text: 'Two loaves of rye' })
  const { secret } = (
    await w.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/hidden-path', events: ['*'] })
  ).body
  const { key } = (await console('POST', '/v1/keys', { name: 'CRM of Luz', scopes: ['ai:read'] })).body
  await console('PUT', '/v1/service/password', { password: PASSWORD })
  await console('POST', '/v1/service/backups')
  const code = newCode(w)
  const browser = browserOf(w)
  await browser.signIn({ code: newCode(w) })
  await browserOf(w).signIn({ code: 'wrong-code-that-was-typed' })
  await w.quiet()

  const { status, body } = await console('GET', '/v1/service/diagnostics')
  expect(status).toBe(200)
  const text = JSON.stringify(body)
  const master = (await w.vault.read(await vaultEntry()))?.open() ?? ''
  expect(master.length).toBeGreaterThan(20)
  const token = browser.cookie.split('=')[1] ?? ''
  expect([secret, key, code, token].every((one: string) => one.length > 20)).toBe(true)
  const hidden = {
    ...{ secret, key, code, token, master, PASSWORD, PASSPHRASE, all: w.allScopes, home: w.home },
    ...{
      workspace: 'Luz',
      number: '12025550142',
      other: '12025550177',
      words: 'rye',
      ref: 'client-41',
      path: 'hidden-path',
    },
    ...{ host: 'agency.example' },
  }
  for (const [what, value] of Object.entries(hidden)) expect(text.includes(value), what).toBe(false)

  expect(body).toMatchObject({
    version: expect.stringMatching(/^\d/),
    platform: { node: process.versions.node, sqlite: expect.stringMatching(/^3\./), system: expect.any(String) },
    service: { network: 'sandbox', vault: { kind: 'memory', state: 'open' } },
    storage: { integrity: 'ok', schema: expect.any(Number), backups: 1, newest_backup_at: '2026-01-05T12:00:00.000Z' },
    counts: { instances: { total: 1, by_status: { connected: 1 } }, webhooks: { total: 1, deactivated: 0 } },
  })
  const setting = (name: string) => body.settings.find((one: { name: string }) => one.name === name)
  expect(setting('slots')).toEqual({ name: 'slots', value: 10_000, place: 'default' })
  expect(setting('home').value).toBe('set')
  const events = body.log.map(({ event }: { event: string }) => event)
  expect(events).toContain('service.started')
  expect(events).toContain('console.sign_in_refused')
  expect(events).toContain('console.signed_in')

  async function vaultEntry(): Promise<string> {
    const [row] = await w.rows<{ value: string }>("SELECT value FROM meta WHERE name = 'home_id'")
    return `master-key:${row?.value ?? ''}`
  }
})
