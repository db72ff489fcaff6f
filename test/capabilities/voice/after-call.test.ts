import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { consolePrincipal } from '../../../main/capabilities/account/index.ts'
import { fakeClock } from '../../support/clock.ts'
import { newHome } from '../../support/restores.ts'
import { testAgents } from '../../support/voice.ts'
import { worldOfTest, type World } from '../../support/world.ts'
import { callingInstance, ended, until, voiceOf } from './calls.ts'

const asConsole = async (w: World, path: string): Promise<any> =>
  (await w.service.door.call(consolePrincipal(w.account, 'operator'), { method: 'GET', path })).body

test('after a call, its summary and coaching notes are mailed once to each address', async () => {
  const w = await worldOfTest({ voiceAgents: testAgents() })
  const id = await callingInstance(w)
  const to = ['sales@example.com', 'joão@example.com']
  await w.api('PATCH', `${voiceOf(id)}/settings`, { summary_emails: to, coach_enabled: true })
  const made = await w.api('POST', `${voiceOf(id)}/calls`, { to_number: '12025550123', agent_id: 'agent-1' })
  await ended(w, id, made.body.id)
  const { data } = await until(
    w,
    () => asConsole(w, '/v1/sandbox/mails'),
    (page) => page.data.length === 2,
    // A real connection carries the mails: at a second a step the ninety seconds for one could pass while it is made.
    20,
  )
  expect(data.map((mail: any) => mail.to[0]).toSorted()).toEqual(to.toSorted())
  const [mail] = data
  expect(mail.subject).toBe('Call with 12025550123: completed')
  expect(mail.text).toContain('This call was simulated')
  expect(mail.text).toMatch(/^Began: 5 January 2026 at \d\d:\d\d \([\w/]+\)\. Outcome: completed\.$/m)
  expect(mail.text).toContain('Person: When are you open?')
  const review = (await w.api('GET', `${voiceOf(id)}/calls/${made.body.id}/review`)).body
  expect(review.coaching).toHaveLength(3)
  for (const note of review.coaching) expect(mail.text).toContain(`- ${note}`)
  await w.pass(30_000)
  expect((await asConsole(w, '/v1/sandbox/mails')).data).toHaveLength(2)
  expect(readdirSync(join(w.home, 'outbox', w.account.id)).every((name) => name.endsWith('.eml'))).toBe(true)
  const other = await w.stranger()
  const theirs = await w.service.door.call(consolePrincipal(other.account, 'member'), {
    method: 'GET',
    path: '/v1/sandbox/mails',
  })
  expect((theirs.body as any).data).toEqual([])
})

test('a mail that was being sent when the service was killed is not sent again', async () => {
  const home = newHome()
  const clock = fakeClock()
  const before = await worldOfTest({ home, clock, voiceAgents: testAgents() })
  const mails = async (w: World) => (await asConsole(w, '/v1/sandbox/mails')).data
  const id = await callingInstance(before)
  await before.api('PATCH', `${voiceOf(id)}/settings`, { summary_emails: ['sales@example.com'] })
  await before.api('POST', `${voiceOf(id)}/calls`, { to_number: '12025550123', agent_id: 'agent-1' })
  await until(
    before,
    () => mails(before),
    ({ length }) => length === 1,
    20,
  )
  await before.close()
  const raw = new Database(join(home, 'switchboard.db'))
  // The server had accepted it, and the commit that says so was not made.
  raw.exec(`UPDATE jobs SET state = 'running', lease_owner = 'killed', ended_at = NULL WHERE kind = 'voice.mail';
    UPDATE job_lanes SET running = 1, done = 0 WHERE kind = 'voice.mail'`)
  raw.close()
  const w = await worldOfTest({ home, clock, vault: before.vault, seed: 2, voiceAgents: testAgents() })
  for (let seconds = 0; seconds < 60; seconds++) {
    await w.pass(1_000)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  expect(await mails(w)).toHaveLength(1)
  expect(await w.rows(`SELECT state FROM jobs WHERE kind = 'voice.mail'`)).toEqual([{ state: 'failed' }])
})

test('a model writes the summary if the agent has one, and nothing is written for a call that nobody answered', async () => {
  const asked: string[] = []
  const voiceAgents = testAgents({
    async complete(_agent, instructions, text) {
      asked.push(instructions)
      return instructions.includes('exactly three')
        ? '1. Good.\n2. Short.\n3. Polite.'
        : `Summary of ${text.split('\n').length} lines.`
    },
  })
  const w = await worldOfTest({ voiceAgents })
  const id = await callingInstance(w)
  await w.api('PATCH', `${voiceOf(id)}/settings`, { summary_emails: ['sales@example.com'], coach_enabled: true })
  const busy = await w.api('POST', `${voiceOf(id)}/calls`, { to_number: '12025550486', agent_id: 'agent-1' })
  await ended(w, id, busy.body.id)
  await w.pass(5_000)
  expect(asked).toEqual([])
  expect(existsSync(join(w.home, 'outbox'))).toBe(false)
  const made = await w.api('POST', `${voiceOf(id)}/calls`, { to_number: '12025550123', agent_id: 'agent-1' })
  await ended(w, id, made.body.id)
  const review = await until(
    w,
    async () => (await w.api('GET', `${voiceOf(id)}/calls/${made.body.id}/review`)).body,
    ({ summary }) => summary !== null,
  )
  expect(review).toMatchObject({
    ...{ summary: 'Summary of 7 lines.', summary_by: 'model', coaching: ['Good.', 'Short.', 'Polite.'] },
    ...{ coaching_by: 'model' },
  })
})

test('a failing agent tells the person, and the call continues', async () => {
  const voiceAgents = testAgents({ answer: () => Promise.reject(new Error('The model is down.')) })
  const w = await worldOfTest({ voiceAgents })
  const id = await callingInstance(w)
  const made = await w.api('POST', `${voiceOf(id)}/calls`, { to_number: '12025550123', agent_id: 'agent-1' })
  expect(await ended(w, id, made.body.id)).toMatchObject({ status: 'completed' })
  const { transcript } = (await w.api('GET', `${voiceOf(id)}/calls/${made.body.id}/review`)).body
  expect(transcript[2].text).toContain('I cannot answer that right now')
})
