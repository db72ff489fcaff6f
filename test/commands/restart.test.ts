import { expect, onTestFinished, test } from 'vitest'
import { pause, testHome, until } from '../support/service-process.ts'

test('the window restarts the service: same process and address, staged changes apply, and Ctrl+C still ends it', async () => {
  const home = testHome()
  onTestFinished(() => home.remove())
  const service = await home.start()
  const api = service.api((await home.key('restart')).key)
  const { console_url: address } = JSON.parse((await home.command('console', '--json')).out) as { console_url: string }
  const own = { origin: service.url, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
  const signIn = await fetch(`${service.url}/panel/session`, {
    method: 'POST',
    headers: own,
    body: JSON.stringify({ code: address.split('code=')[1] }),
  })
  const cookie = (signIn.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const panel = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${service.url}/panel/v1${path}`, {
      method,
      headers: { ...own, cookie },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
  }

  await api('POST', '/v1/instances', { name: 'Then' })
  const { file } = (await panel('POST', '/service/backups')).body
  await api('POST', '/v1/instances', { name: 'Since' })
  await panel('PATCH', '/service/settings', { changes: { send_timeout_ms: 7_000 } })
  await panel('POST', `/service/backups/${file.split(/[\\/]/).at(-1)}/restore?confirm=true`)
  const { body: before } = await panel('GET', '/service')
  expect(before.limits.send_timeout_ms).toBe(20_000)

  expect((await panel('POST', '/service/restart')).status).toBe(202)
  const after = await until('the service is back', async () => {
    const answer = await panel('GET', '/service').catch(() => undefined)
    return answer?.status === 200 && answer.body.started_at !== before.started_at ? answer.body : undefined
  })
  expect(after.limits.send_timeout_ms).toBe(7_000)
  const { data } = (await api('GET', '/v1/instances')).body
  expect(data.map(({ name }: { name: string }) => name)).toEqual(['Then'])

  // Again, so that it is no matter of once.
  await panel('POST', '/service/restart')
  await pause(50)
  await until(
    'the service is back',
    async () => (await panel('GET', '/service').catch(() => undefined))?.status === 200,
  )
  expect(await service.end('SIGTERM')).toBe(0)
})
