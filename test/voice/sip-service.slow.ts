import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLog } from '../../main/kernel/log.ts'
import { asConsole } from '../support/console.ts'
import { callingNumber, type CallingNumber } from './cloud-world.ts'
import { until } from './sip-calls.ts'
import { exchange, type Exchange } from './sip-exchange.ts'

/** Telephone calls as a user of the API sees them: the trunk is set, and calls go out and come in over it. */

const PERSON = '12025550161'

let made: CallingNumber
beforeAll(async () => {
  made = await callingNumber(silentLog)
})
afterAll(() => made.w.close())

const voice = async (method: string, path: string, body?: object) => {
  // Only the window sets trunks.
  const ask = path === '/trunk' ? asConsole(made.w) : made.w.api
  const answer = await ask(method, `/v1/instances/${made.id}/voice${path}`, body)
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body
}
const trunkTo = ({ port }: Exchange) => ({
  ...{ host: '127.0.0.1', port, transport: 'tcp', username: '1001', password: 'right' },
})
const calls = async (): Promise<any[]> => (await voice('GET', '/calls')).data

test('a call comes in over the trunk and one goes out, and both are recorded', async () => {
  const office = await exchange({ transport: 'tcp' })
  expect((await voice('PUT', '/trunk', trunkTo(office))).trunk).toMatchObject({ password_configured: true })
  await office.registered()
  await voice('PATCH', '/settings', { receive_enabled: true, receive_agent_id: 'agent-1' })

  const theirs = await office.call({ from: PERSON })
  await until(async () => (await calls())[0]?.status === 'in_progress', 'The answer')
  await until(() => theirs.phone.heard.loud > 50, 'The greeting')
  await theirs.hangUp()
  await until(async () => (await calls())[0]?.status === 'completed', 'The end of their call')

  const outgoing = await voice('POST', '/calls', { to_number: PERSON, agent_id: 'agent-1' })
  const ours = await office.nextCall()
  await until(() => ours.phone.heard.loud > 50, 'The greeting')
  await ours.hangUp()
  await until(async () => (await calls())[0]?.status === 'completed', 'The end of our call')

  const [last, first] = await calls()
  expect(first).toMatchObject({ direction: 'inbound', gateway: 'sip', end_reason: 'person_hung_up' })
  expect(last).toMatchObject({ id: outgoing.id, direction: 'outbound', gateway: 'sip' })
  expect((await voice('GET', '/recordings?has_audio=true')).recordings).toHaveLength(2)
})

test('where calls are not received, the caller is declined and nothing is written', async () => {
  const office = await exchange({ transport: 'tcp' })
  await voice('PUT', '/trunk', trunkTo(office))
  await office.registered()
  await voice('PATCH', '/settings', { receive_enabled: false })
  const before = (await calls()).length
  const theirs = await office.call({ from: PERSON })
  await until(() => theirs.statuses.at(-1) === 603, 'The refusal')
  expect(await calls()).toHaveLength(before)
  await voice('DELETE', '/trunk')
})
