import { expect, test } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { aiWorld, type AiLine } from './ai-world.ts'

const bench = aiWorld()

const linesOf = async ({ w }: AiLine, network = '') =>
  (await asConsole(w)('GET', `/v1/overview/attention${network}`)).body.data.filter(
    ({ room }: { room: string }) => room === 'ai',
  )

test('chats that wait for a person, and agents that cannot answer, are issues until somebody acts', async () => {
  const line = await bench.line()
  expect(await line.ask('qual o horário?')).toHaveLength(1)
  expect(await linesOf(line)).toEqual([])

  await line.ask('Do you repair bicycles with carbon frames?')
  const { name } = (await line.w.api('GET', `/v1/instances/${line.instanceId}`)).body
  const subject = { id: line.instanceId, name }
  expect(await linesOf(line)).toMatchObject([{ code: 'waiting', severity: 'warning', count: 1, subject }])
  expect(await linesOf(line, '?network=live')).toEqual([])

  // Two chats of two numbers: no single one to name.
  const other = await bench.line()
  await other.ask('Do you repair bicycles with carbon frames?')
  expect(await linesOf(line)).toMatchObject([{ code: 'waiting', count: 2, subject: null }])
  for (const each of [line, other])
    await each.w.api('DELETE', `/v1/instances/${each.instanceId}?confirm=true`).then(({ status }) => {
      expect(status).toBeLessThan(300)
    })
  expect(await linesOf(line)).toEqual([])
})

test('enabled AI without an agent is an issue, and disabled AI is not', async () => {
  const line = await bench.line()
  const { data } = await line.ai('GET', 'agents')
  await line.ai('DELETE', `agents/${data[0].id}?confirm=true`)
  const isOn = (await line.ai('GET', 'settings')).enabled
  expect((await linesOf(line)).map(({ code }: { code: string }) => code)).toEqual(isOn ? ['no_agent'] : [])
  await line.w.service.db.commit((tx) =>
    tx.run({ text: `UPDATE ai_instances SET enabled = 1 WHERE instance_id = '${line.instanceId}'` }, {}),
  )
  expect(await linesOf(line)).toMatchObject([
    { code: 'no_agent', severity: 'warning', subject: { id: line.instanceId } },
  ])
  await line.ai('PATCH', 'settings', { enabled: false })
  expect(await linesOf(line)).toEqual([])
})
