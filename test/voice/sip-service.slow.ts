import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
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

test('a call is held and resumed, gets keys, and is transferred', async () => {
  const office = await exchange({ transport: 'tcp', formats: '0 101', challenges: true })
  await voice('PUT', '/trunk', trunkTo(office))
  await office.registered()
  const { id } = await voice('POST', '/calls', { to_number: PERSON, agent_id: 'agent-1' })
  const theirs = await office.nextCall()
  const act = (path: string, body?: object) => voice('POST', `/calls/${id}/${path}`, body)
  await until(async () => (await voice('GET', `/calls/${id}`)).status === 'in_progress', 'The answer')

  expect((await act('hold')).held_at).not.toBeNull()
  await until(() => theirs.changes.waiting() === 0, 'The ACK')
  // Of the greeting, nothing is heard meanwhile.
  await systemClock.sleep(200)
  const { loud } = theirs.phone.heard
  await systemClock.sleep(500)
  expect(theirs.phone.heard.loud).toBe(loud)
  expect((await act('resume')).held_at).toBeNull()
  await until(() => theirs.phone.heard.loud > loud + 20, 'The rest of the greeting')

  await act('digits', { digits: '15#' })
  expect(theirs.phone.heard.keys.map(({ key }) => key).join('')).toBe('15#')

  const transferring = await act('transfer', { to_number: '12025550177' })
  expect(transferring.transfer).toMatchObject({ to_number: '12025550177', status: 'pending' })
  await theirs.notify('SIP/2.0 486 Busy Here')
  const transfer = async () => (await voice('GET', `/calls/${id}`)).transfer
  await until(async () => (await transfer()).status === 'failed', 'The failure')
  expect(await transfer()).toMatchObject({ failure: 'busy' })
  await act('transfer', { to_number: '12025550178' })
  await theirs.notify('SIP/2.0 200 OK')
  await until(async () => (await voice('GET', `/calls/${id}`)).status === 'completed', 'The end')
  const ended = await voice('GET', `/calls/${id}`)
  expect(ended).toMatchObject({ end_reason: 'transferred', transfer: { status: 'completed' } })
  expect([theirs.changes.faults, theirs.phone.heard.faults]).toEqual([[], []])
  const { transcript } = await voice('GET', `/calls/${id}/review`)
  expect(transcript).toContainEqual(expect.objectContaining({ speaker: 'agent', text: 'Pressed 15#' }))
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
