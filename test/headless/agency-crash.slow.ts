import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyPage, pairedInstance } from '../support/sandbox.ts'
import { pause, testHome, type Api, type RunningService, type TestHome } from '../support/service-process.ts'

const KILLS = 12

let home: TestHome
let service: RunningService
let key: string

const api: Api = (...asked) => service.api(key)(...asked)

beforeAll(async () => {
  home = testHome()
  home.write({ 'sandbox.timeline_ms': [1, 2, 3, 4] })
  key = (await home.key('Agency')).key
  service = await home.start()
})
afterAll(() => home.remove())

interface Listed {
  readonly id: string
  readonly name: string
  readonly slots_allocated: number
  readonly slots_used: number
}

interface Client {
  readonly id: string
  readonly key: string
}

async function newClient(name: string): Promise<Client> {
  const { id } = (await api('POST', '/v1/agency/accounts', { name, slots_allocated: 50 })).body
  const wish = { name: 'All', scopes: ['instances:read', 'instances:write', 'messages:send', 'messages:read'] }
  return { id, key: (await api('POST', `/v1/agency/accounts/${id}/keys`, wish)).body.key }
}

test('under repeated kills, each account, transfer and suspension is applied fully or not at all', async () => {
  const [one, other] = [await newClient('One'), await newClient('Other')]
  const owners = [one.id, other.id]
  const lines = [await pairedInstance(api, '12025550201'), await pairedInstance(api, '12025550202')]
  for (let kill = 0; kill < KILLS; kill++) {
    const end = new AbortController()
    const ignore = () => undefined
    const busy = [
      (async () => {
        for (let n = 0; !end.signal.aborted; n++) {
          const to = owners[n % 2] ?? ''
          for (const id of lines)
            await api('POST', `/v1/agency/instances/${id}/transfer`, { account_id: to }).catch(ignore)
        }
      })(),
      (async () => {
        for (let n = 0; !end.signal.aborted; n++)
          await api('POST', '/v1/agency/accounts', { name: `Made ${kill} ${n}`, slots_allocated: 1 }).catch(ignore)
      })(),
      (async () => {
        for (let n = 0; !end.signal.aborted; n++)
          await api('POST', `/v1/agency/accounts/${one.id}/${n % 2 ? 'activate' : 'suspend'}`).catch(ignore)
      })(),
    ]
    await pause(150 + 40 * (kill % 4))
    await service.end('SIGKILL')
    end.abort()
    await Promise.all(busy)
    service = await home.start()

    const clients = await everyPage<Listed>(api, '/v1/agency/accounts')
    const { slots } = (await api('GET', '/v1/agency')).body as { slots: { used: number } }
    const allocated = clients.reduce((sum, { slots_allocated: given }) => sum + given, 0)
    // An account without its slots, or slots without their account, would show here.
    for (const client of clients) expect(client.slots_allocated, client.name).toBe(owners.includes(client.id) ? 50 : 1)

    let ownedByAgency = 0
    for (const id of lines) {
      const seen: string[] = []
      const asked = [
        ['agency', key],
        ['one', one.key],
        ['other', other.key],
      ] as const
      for (const [who, token] of asked) {
        const answer = await service.api(token)('GET', `/v1/instances/${id}`)
        if (answer.status === 200) seen.push(who)
        if (answer.status === 200 && who === 'agency') ownedByAgency++
      }
      expect(seen, `line ${id}`).toHaveLength(1)
    }
    expect(slots.used).toBe(allocated + ownedByAgency)
    const used = clients.reduce((sum, { slots_used: held }) => sum + held, 0)
    expect(used + ownedByAgency).toBe(lines.length)

    // Exactly the accounts whose suspension was answered are suspended.
    const { status } = (await api('GET', `/v1/agency/accounts/${one.id}`)).body
    const answer = await service.api(one.key)('POST', `/v1/instances/${lines[0] ?? ''}/messages`, {})
    const isTheirs = (await service.api(one.key)('GET', `/v1/instances/${lines[0] ?? ''}`)).status === 200
    if (isTheirs) expect(answer.body.error.code === 'account_suspended').toBe(status === 'suspended')
  }
})
