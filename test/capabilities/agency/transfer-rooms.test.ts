import { expect, test, vi } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { worldOfTest, type World } from '../../support/world.ts'
import { FAQ, lineIn, type AiLine } from '../ai/ai-world.ts'
import { ended, until, voiceOf } from '../voice/calls.ts'
import { clientOf } from './agency-world.ts'

/** Tables whose rows of an instance may name another account than the one it belongs to, and why. */
const STAYS: Readonly<Record<string, string>> = {
  messages: 'Says who sent or received it, for what is billed. Messages are read by instance.',
  usage_daily: 'What was used stays with the account that used it.',
  message_prices: 'What a message cost stays with the account that sent it.',
  price_counts: 'What messages cost stays with the account that sent them.',
  price_sums: 'What messages cost stays with the account that sent them.',
  price_holds: 'What messages may cost stays with the account that sent them.',
  instance_departures: 'The old account learns from it that the instance is gone.',
  campaign_recipients: 'The report of a campaign of the old account.',
  billing_orders: 'What the old account bought.',
  smv2_media: 'The account that stores the file, which keeps it.',
}

/** Tables of other engines than the one of this test, which move their rows themselves. */
const OF_ENGINES: readonly string[] = ['official_numbers', 'sandbox_graph_numbers', 'smv2_sessions', 'history_imports']

async function tablesWithBoth(w: World): Promise<string[]> {
  const rows = await w.rows<{ name: string }>(
    `SELECT t.name FROM sqlite_schema t
     WHERE t.type = 'table' AND EXISTS (SELECT 1 FROM pragma_table_info(t.name) WHERE name = 'instance_id')
       AND EXISTS (SELECT 1 FROM pragma_table_info(t.name) WHERE name = 'account_id') ORDER BY t.name`,
  )
  return rows.map(({ name }) => name)
}

async function ownersIn(w: World, table: string, id: string): Promise<string[]> {
  const rows = await w.rows<{ owner: string }>(
    `SELECT DISTINCT account_id AS owner FROM ${table} WHERE instance_id = :id`,
    { id },
  )
  return rows.map(({ owner }) => owner)
}

/** A number that everything is known of: agents that have answered, calls, a CRM. */
async function busyLine(w: World): Promise<AiLine & { callId: string; plannedId: string; documentId: string }> {
  const line = await lineIn(w)
  const { instanceId: id, ai, inWindow } = line
  const must = async (method: string, path: string, body?: object) => {
    const answer = await asConsole(w)(method, `/v1/instances/${id}/${path}`, body)
    expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300)
    return answer.body
  }
  await line.ask('Do you repair bicycles with carbon frames?')
  const { phone_number: to } = (await w.api('GET', `/v1/instances/${id}`)).body
  await w.api('POST', '/v1/sandbox/phones/12025550166/messages', { to, text: 'Cancelar' })
  await ai('PUT', 'provider-keys/openai', { api_key: 'sk-test-4f9c2d7be1' })
  const checked = await w.api('POST', `/v1/instances/${id}/number-checks`, { numbers: ['12025550166'] })
  expect(checked.status, checked.text).toBe(202)
  const [agent] = (await ai('GET', 'agents')).data
  await inWindow('POST', `agents/${agent.id}/http-tools`, {
    ...{ name: 'order_status', description: 'Looks up an order.', method: 'GET' },
    ...{ url: 'https://catcher.sandbox/orders', parameters: [], secret: 'Bearer s3cr3t-value' },
  })
  const cases = [{ question: 'qual o horário?', expects: 'answer', facts: ['8h'] }]
  const evaluation = await inWindow('POST', 'evaluations', { name: 'Before', cases })
  await inWindow('POST', `evaluations/${evaluation.id}/runs`, {})
  const uploaded = await w.service.askAsConsole({
    ...{ method: 'POST', path: `/panel/v1/instances/${id}/ai/documents?name=returns.md` },
    ...{ headers: { 'content-type': 'text/markdown' }, payload: Buffer.from('# Returns\n\nWithin thirty days.\n') },
  })
  const { id: documentId } = JSON.parse(await new Response(uploaded.body).text())
  await w.api('POST', `${voiceOf(id)}/enable`)
  await w.api('PATCH', `${voiceOf(id)}/settings`, { summary_emails: ['old@example.com'], coach_enabled: true })
  await w.api('POST', `${voiceOf(id)}/widgets`, { name: 'Site', allowed_origins: ['https://www.example.com'] })
  await must('PUT', 'voice/trunk', {
    ...{ host: 'sip.example.com', port: 5061, transport: 'tls', username: 'u', password: 'trunk-secret' },
  })
  const call = (more: object) =>
    w.api('POST', `${voiceOf(id)}/calls`, { to_number: '12025550123', agent_id: agent.id, ...more })
  const made = await call({})
  expect(made.status, made.text).toBe(201)
  await ended(w, id, made.body.id)
  const planned = await call({ scheduled_at: new Date(w.clock.now() + 3_600_000).toISOString() })
  await w.api('PUT', `/v1/instances/${id}/crm-webhook`, { url: 'https://catcher.sandbox/crm' })
  await w.api('POST', `/v1/instances/${id}/ghl/connect`, { mode: 'oauth' })
  return { ...line, callId: made.body.id, plannedId: planned.body.id, documentId }
}

test('after a transfer, rows with an instance id and an account id name the new account', async () => {
  const w = await worldOfTest()
  const client = await clientOf(w)
  const line = await busyLine(w)
  const { instanceId: id, callId, plannedId, documentId } = line
  const tables = (await tablesWithBoth(w)).filter((table) => STAYS[table] === undefined)
  const unused: string[] = []
  for (const table of tables) if ((await ownersIn(w, table, id)).length === 0) unused.push(table)
  // A table that is new needs a row here: without one, nothing would be proven for it.
  expect(unused.filter((table) => !OF_ENGINES.includes(table))).toEqual([])

  const moved = await w.api('POST', `/v1/agency/instances/${id}/transfer`, { account_id: client.id })
  expect(moved.status, moved.text).toBe(200)
  await w.quiet()

  const left: string[] = []
  for (const table of tables) if ((await ownersIn(w, table, id)).some((owner) => owner !== client.id)) left.push(table)
  expect(left).toEqual([])

  // What is known and was said goes along.
  const at = `/v1/instances/${id}`
  const get = async (path: string) => (await client.api('GET', `${at}/${path}`)).body
  expect((await get('ai/agents')).data).toHaveLength(1)
  expect((await get('ai/faq')).data).toHaveLength(FAQ.length)
  expect((await get(`ai/conversations/${line.person}`)).answered_by).toBe('agent')
  const call = await get(`voice/calls/${callId}`)
  expect(call.status).toBe('completed')
  const sound = await client.api('GET', `${at}/voice/recordings/${call.recording_id}/download`)
  expect(sound.status).toBe(307)
  const { pathname, search } = new URL(String(sound.headers['location']), `http://${w.host}`)
  const played = await w.api('GET', `${pathname}${search}`, undefined, { key: client.key })
  expect(played.status).toBe(200)
  expect((await get('voice/widgets')).data).toHaveLength(1)
  const [document] = await vi.waitFor(
    async () => {
      const rows = await w.rows<any>('SELECT status, file_id AS file FROM ai_documents WHERE id = :documentId', {
        documentId,
      })
      expect(rows[0].status).toBe('ready')
      return rows
    },
    { timeout: 60_000 },
  )
  expect(await w.rows('SELECT account_id AS owner FROM files WHERE id = :file', document)).toEqual([
    { owner: client.id },
  ])

  // What is of the old account does not.
  for (const table of ['ai_provider_keys', 'ai_http_tools', 'voice_trunks', 'crm_links', 'crm_states', 'number_checks'])
    expect(await w.rows(`SELECT 1 AS one FROM ${table} WHERE instance_id = :id`, { id }), table).toEqual([])
  expect((await get('voice')).settings).toMatchObject({ summary_emails: [], coach_enabled: true })
  expect(await get(`voice/calls/${plannedId}`)).toMatchObject({
    ...{ status: 'canceled', end_reason: 'instance_transferred', attempt: 0 },
  })
})

test('a running call is hung up when its instance is transferred, and its recording moves to the new account', async () => {
  const w = await worldOfTest()
  const client = await clientOf(w)
  const line = await lineIn(w)
  const { instanceId: id } = line
  const [agent] = (await line.ai('GET', 'agents')).data
  await w.api('POST', `${voiceOf(id)}/enable`)
  const made = await w.api('POST', `${voiceOf(id)}/calls`, { to_number: '12025550123', agent_id: agent.id })
  const rowOf = async () =>
    (
      await w.rows<any>(
        'SELECT status, end_reason AS reason, account_id AS owner, recording_id AS recording FROM voice_calls WHERE id = :id',
        made.body,
      )
    )[0]
  await until(w, rowOf, ({ status }) => status === 'in_progress')
  await w.api('POST', `/v1/agency/instances/${id}/transfer`, { account_id: client.id })
  const row = await until(w, rowOf, ({ status }) => status !== 'in_progress')
  expect(row).toMatchObject({ status: 'canceled', reason: 'instance_transferred', owner: client.id })
  const files = await w.rows<any>(
    `SELECT f.account_id AS owner FROM voice_recordings r JOIN files f ON f.id = r.file_id WHERE r.call_id = :id`,
    made.body,
  )
  expect(files.every(({ owner }) => owner === client.id)).toBe(true)
  expect((await asConsole(w)('GET', '/v1/voice/calls')).body.data).toEqual([])
  expect((await client.api('GET', `${voiceOf(id)}/calls/${made.body.id}`)).body.status).toBe('canceled')
})
