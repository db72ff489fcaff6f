import { describe, expect, test } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { aiWorld, type AiLine } from './ai-world.ts'

const bench = aiWorld()
const OPENAI = { name: 'Model', provider: 'openai', model: 'gpt-5-mini' }
const SANDBOX = { base_url: 'https://model.sandbox/v1' }

const at = ({ instanceId }: AiLine, path: string) => `/v1/instances/${instanceId}/ai/${path}`
async function refused(line: AiLine, method: string, path: string, body?: object) {
  const answer = await line.w.api(method, at(line, path), body)
  return { status: answer.status, code: answer.body?.error?.code, message: answer.body?.error?.message }
}

describe('agents', () => {
  test('the first is primary; a new primary demotes the other in the same commit; the oldest replaces a deleted one', async () => {
    const line = await bench.line({ agent: null })
    const a = await line.ai('POST', 'agents', { name: 'A', provider: 'builtin' })
    const b = await line.ai('POST', 'agents', { name: 'B', provider: 'builtin', is_primary: true })
    const c = await line.ai('POST', 'agents', { name: 'C', provider: 'builtin' })
    const primary = async () =>
      (await line.ai('GET', 'agents')).data.filter((one: any) => one.is_primary).map((one: any) => one.name)
    expect([a.is_primary, b.is_primary, c.is_primary]).toEqual([true, true, false])
    expect(await primary()).toEqual(['B'])
    await line.ai('PATCH', `agents/${c.id}`, { is_primary: true })
    expect(await primary()).toEqual(['C'])
    expect(await refused(line, 'PATCH', `agents/${c.id}`, { is_primary: false })).toMatchObject({
      status: 409,
      code: 'invalid_state',
    })
    await line.ai('DELETE', `agents/${c.id}`)
    expect(await primary()).toEqual(['A'])
  })

  test('an agent can be created without a key; enabling it is 409 and changes nothing', async () => {
    const line = await bench.line({ agent: null })
    await line.ai('PATCH', 'settings', { enabled: false })
    const agent = await line.ai('POST', 'agents', OPENAI)
    expect(agent).toMatchObject({
      is_primary: true,
      tools: ['faq_search', 'set_stage', 'handoff_to_human', 'send_media'],
    })
    expect(await refused(line, 'PATCH', 'settings', { enabled: true, timezone: 'UTC' })).toMatchObject({
      status: 409,
      code: 'provider_key_missing',
    })
    expect(await line.ai('GET', 'settings')).toMatchObject({ enabled: false, timezone: 'America/Sao_Paulo' })
    await line.ai('PUT', 'provider-keys/openai', SANDBOX)
    expect(await line.ai('PATCH', 'settings', { enabled: true })).toMatchObject({ enabled: true })
  })

  test('while AI is enabled, an agent without a key cannot become primary', async () => {
    const line = await bench.line()
    const agent = await line.ai('POST', 'agents', OPENAI)
    expect(await refused(line, 'PATCH', `agents/${agent.id}`, { is_primary: true })).toMatchObject({
      status: 409,
      code: 'provider_key_missing',
    })
    expect(await line.ai('GET', `agents/${agent.id}`)).toMatchObject({ is_primary: false })
  })

  test.each([
    ['an unknown provider', { name: 'A', provider: 'acme', model: 'x' }],
    ['a provider without a model', { name: 'A', provider: 'openai' }],
    ['an unknown tool', { name: 'A', provider: 'builtin', tools: ['rm_rf'] }],
    [
      'a cost limit without a price',
      { ...OPENAI, model: 'my-model', limits: { tokens_per_day: null, cost_per_day_usd: 5 } },
    ],
    ['an unknown field', { name: 'A', provider: 'builtin', apiKey: 'x' }],
  ])('%s is 400', async (_name, body) => {
    const line = await bench.line({ agent: null })
    expect(await refused(line, 'POST', 'agents', body)).toMatchObject({ status: 400, code: 'validation_error' })
  })
})

describe('stages', () => {
  test('keep an order without gaps', async () => {
    const line = await bench.line()
    const [{ id }] = (await line.ai('GET', 'agents')).data
    const [a, b, c] = await Promise.all(
      ['A', 'B', 'C'].map((name) => line.ai('POST', `agents/${id}/stages`, { name, objective: 'x' })),
    )
    const names = async () =>
      (await line.ai('GET', `agents/${id}/stages`)).data.map((one: any) => `${one.position}${one.name}`)
    expect(await names()).toEqual(['1A', '2B', '3C'])
    const order = (stageIds: string[]) => refused(line, 'PUT', `agents/${id}/stages/order`, { stage_ids: stageIds })
    expect(await order([c.id, a.id, b.id])).toMatchObject({ status: 200 })
    expect(await names()).toEqual(['1C', '2A', '3B'])
    expect(await order([c.id, a.id])).toMatchObject({
      status: 400,
      code: 'validation_error',
      message: expect.stringContaining('“B”'),
    })
    expect(await order([c.id, a.id, a.id])).toMatchObject({ status: 400, code: 'validation_error' })
    const other = await bench.line()
    const [{ id: theirs }] = (await other.ai('GET', 'agents')).data
    const foreign = await other.ai('POST', `agents/${theirs}/stages`, { name: 'X', objective: 'x' })
    expect(await order([c.id, a.id, foreign.id])).toMatchObject({
      status: 404,
      code: 'not_found',
      message: expect.stringContaining('stage_ids'),
    })
    await line.ai('DELETE', `agents/${id}/stages/${a.id}`)
    expect(await names()).toEqual(['1C', '2B'])
  })
})

describe('provider keys', () => {
  const KEY = 'sk-test-4f9c2d7be1'

  test('are never shown, not even the end', async () => {
    const line = await bench.line()
    const put = await line.ai('PUT', 'provider-keys/openai', { api_key: KEY })
    // Nobody is reachable from here, so the key cannot be checked.
    expect(put).toEqual({
      provider: 'openai',
      configured: true,
      verified: false,
      base_url: null,
      updated_at: expect.any(String),
    })
    const list = await line.ai('GET', 'provider-keys')
    expect(list.data).toHaveLength(5)
    expect(JSON.stringify([put, list])).not.toContain(KEY.slice(-4))
    await line.ai('DELETE', 'provider-keys/openai')
    await line.ai('DELETE', 'provider-keys/openai')
    expect((await line.ai('GET', 'provider-keys')).data[0]).toMatchObject({ provider: 'openai', configured: false })
  })

  test('a key that the provider refuses is 400 with our own text, and is not stored', async () => {
    const line = await bench.line()
    const answer = await refused(line, 'PUT', 'provider-keys/custom', { api_key: 'sk-wrong', ...SANDBOX })
    expect(answer).toMatchObject({
      status: 400,
      code: 'validation_error',
      message: expect.stringContaining('refuses the API key'),
    })
    expect((await line.ai('GET', 'provider-keys')).data.at(-1)).toMatchObject({ configured: false })
  })

  test.each([
    ['http://llm.example.com/v1', 'invalid_url'],
    ['http://127.0.0.1:11434/v1', 'invalid_url'],
    ['https://127.0.0.1/v1', 'invalid_url'],
    ['http://localhost:11434/v1', 'invalid_url'],
    ['http://169.254.169.254/latest', 'invalid_url'],
    ['ftp://example.com', 'invalid_url'],
  ])('base_url %s is refused to an API key', async (baseUrl, code) => {
    const line = await bench.line()
    for (const provider of ['custom', 'openai'])
      expect(
        await refused(line, 'PUT', `provider-keys/${provider}`, { api_key: 'k', base_url: baseUrl }),
      ).toMatchObject({ status: 400, code: code })
  })

  test('an address of this computer can be entered in the window, for custom only', async () => {
    const line = await bench.line()
    const put = (provider: string) =>
      asConsole(line.w)('PUT', at(line, `provider-keys/${provider}`), {
        api_key: 'k',
        base_url: 'http://localhost:9/v1',
      })
    expect(await put('custom')).toMatchObject({
      status: 200,
      body: { base_url: 'http://127.0.0.1:9/v1', verified: false },
    })
    expect((await put('openai')).status).toBe(400)
  })

  test('a stored key stays for its server, is not sent to another, and is checked again', async () => {
    const line = await bench.line()
    const put = (base: string, more = {}) =>
      asConsole(line.w)('PUT', at(line, 'provider-keys/custom'), { base_url: base, ...more })
    const hasKey = async () =>
      (
        await line.w.rows<{ key: unknown }>(`SELECT key FROM ai_provider_keys WHERE instance_id = '${line.instanceId}'`)
      )[0]?.key !== null
    await put('http://127.0.0.1:9/v1', { api_key: 'k' })
    expect([(await put('http://127.0.0.1:9/v2')).status, await hasKey()]).toEqual([200, true])
    expect([(await put('http://127.0.0.1:10/v2')).status, await hasKey()]).toEqual([200, false])
  })

  test('a member may replace the key for the operator’s server, but not choose another such server', async () => {
    const line = await bench.line()
    const path = at(line, 'provider-keys/custom')
    const base = 'http://127.0.0.1:9/v1'
    await asConsole(line.w)('PUT', path, { api_key: 'k', base_url: base })
    const member = (body: object) => asConsole(line.w, { role: 'member' })('PUT', path, body)
    expect(await member({ api_key: 'other', base_url: base })).toMatchObject({ status: 200, body: { base_url: base } })
    expect(await member({ base_url: base })).toMatchObject({ status: 200 })
    expect(await member({ api_key: 'k', base_url: 'http://127.0.0.1:10/v1' })).toMatchObject({
      ...{ status: 400, body: { error: { code: 'invalid_url' } } },
    })
  })

  test('an unknown provider is 404, and custom needs an address', async () => {
    const line = await bench.line()
    expect(await refused(line, 'PUT', 'provider-keys/acme', { api_key: 'k' })).toMatchObject({
      status: 404,
      code: 'not_found',
    })
    expect(await refused(line, 'PUT', 'provider-keys/builtin', { api_key: 'k' })).toMatchObject({
      status: 404,
      code: 'not_found',
    })
    expect(await refused(line, 'PUT', 'provider-keys/custom', { api_key: 'k' })).toMatchObject({
      status: 400,
      code: 'validation_error',
    })
    expect(await refused(line, 'PUT', 'provider-keys/openai', {})).toMatchObject({
      status: 400,
      code: 'validation_error',
    })
    expect(await refused(line, 'PUT', 'provider-keys/openai', { api_key: 'a\nb' })).toMatchObject({
      status: 400,
      code: 'validation_error',
    })
  })
})

describe('the FAQ', () => {
  test('is imported from CSV, row by row', async () => {
    const line = await bench.line({ faq: [['Abre?', 'Sim']] })
    const csv = 'Pergunta;Resposta\nAbre?;Sim, às 8h\nFecha?;Às 18h\n;nada\nSem resposta;\nFecha?;Às 18h\n'
    const answer = await line.w.api('POST', at(line, 'faq-imports'), csv)
    expect(answer.body).toEqual({
      ...{ rows: 5, created: 1, updated: 1, unchanged: 1, invalid: 2 },
      problems: [
        { line: 4, reason: 'missing_question' },
        { line: 5, reason: 'missing_answer' },
      ],
    })
    const { data } = await line.ai('GET', 'faq')
    expect(data.map((entry: any) => entry.answer)).toEqual(['Às 18h', 'Sim, às 8h'])
    const bad = await line.w.api('POST', at(line, 'faq-imports'), 'a,b\n1,2\n')
    expect([bad.status, bad.body.error.code]).toEqual([400, 'validation_error'])
  })

  test('disabled and deleted entries are no longer found', async () => {
    const line = await bench.line()
    const [entry] = (await line.ai('GET', `faq?q=${encodeURIComponent('cartão')}`)).data
    expect(entry.question).toContain('cartão')
    const test = async () => (await line.ai('POST', 'test', { message: 'aceitam cartao?' })).source
    expect(await test()).toBe('faq')
    await line.ai('PATCH', `faq/${entry.id}`, { enabled: false })
    expect(await test()).toBe('none')
    await line.ai('PATCH', `faq/${entry.id}`, { enabled: true })
    expect(await test()).toBe('faq')
    await line.ai('DELETE', `faq/${entry.id}`)
    expect(await test()).toBe('none')
  })

  test('an unanswered question is answered with one click, and found from then on', async () => {
    const line = await bench.line()
    await line.ask('vocês têm estacionamento próprio?')
    const [question] = (await line.inWindow('GET', 'unanswered-questions')).data
    expect(question).toMatchObject({ question: 'vocês têm estacionamento próprio?', times: 1, phone: line.person })
    const answered = await line.inWindow('POST', `unanswered-questions/${question.id}/answer`, {
      answer: 'Sim, na rua ao lado.',
    })
    expect(answered).toMatchObject({ status: 'answered', faq_id: expect.any(String) })
    expect((await line.ai('POST', 'test', { message: 'tem estacionamento?' })).reply).toBe('Sim, na rua ao lado.')
    expect((await line.inWindow('GET', 'unanswered-questions')).data).toEqual([])
  })
})

/** Uploads a document and waits until it was read. */
async function upload(line: AiLine, name: string, text: string): Promise<any> {
  const uploaded = await line.w.service.askAsConsole({
    ...{ method: 'POST', path: `/panel${at(line, 'documents')}?name=${name}` },
    ...{ headers: { 'content-type': 'text/markdown' }, payload: Buffer.from(text) },
  })
  expect(uploaded.status).toBe(201)
  await uploaded.body?.cancel()
  let document: any
  for (let i = 0; i < 200 && document?.status !== 'ready'; i++) {
    await line.w.pass(100)
    await new Promise((resolve) => setTimeout(resolve, 20))
    ;[document] = (await line.inWindow('GET', 'documents')).data
  }
  return document
}

test('documents are read in the background and cited', async () => {
  const line = await bench.line()
  const text = '# Devoluções\n\nProdutos podem ser devolvidos em até trinta dias com a nota fiscal original.\n'
  const document = await upload(line, 'politica.md', text)
  expect(document).toMatchObject({ name: 'politica.md', status: 'ready', passages: 1 })
  const test = await line.ai('POST', 'test', { message: 'em quantos dias posso devolver um produto?' })
  expect(test.sources[0]).toMatchObject({ kind: 'document', id: document.id })
  await line.inWindow('DELETE', `documents/${document.id}`)
  expect((await line.ai('POST', 'test', { message: 'em quantos dias posso devolver um produto?' })).source).toBe('none')
})

test('the built-in agent answers with the passage of a document, without the headings above it', async () => {
  const line = await bench.line({ faq: [] })
  const text = [
    ...['# Harbour Salon', '', '## Opening hours', '', '- Monday: closed', '- Tuesday: 9:00 to 20:00', ''],
    ...['## Getting here', '', 'Parking is behind the shop.', '', '## The team', '', 'Ann has been with us for years.'],
  ].join('\n')
  await upload(line, 'guide.md', text)
  const ask = async (message: string) => (await line.ai('POST', 'test', { message })).reply
  expect(await ask('where can I park my car?')).toBe('Parking is behind the shop.')
  expect(await ask('what are your opening hours?')).toBe('Monday: closed\nTuesday: 9:00 to 20:00')
})

/** The model answers over a socket, which takes real time. */
async function moment(line: AiLine): Promise<void> {
  await line.w.pass(100)
  await new Promise((resolve) => setTimeout(resolve, 5))
}

describe('with the sandbox model', () => {
  test('the complete flow: key, agent, chat, cost', async () => {
    const line = await bench.line({ agent: null })
    await line.ai('PUT', 'provider-keys/custom', SANDBOX)
    await line.ai('POST', 'agents', {
      name: 'M',
      provider: 'custom',
      model: 'sandbox-1',
      price: { input_per_million_usd: 1, output_per_million_usd: 2 },
    })
    const models = await line.inWindow('GET', 'providers/custom/models')
    expect(models.data.map(({ id }: any) => id)).toContain('sandbox-1')
    await line.write('qual é o horário de funcionamento?')
    for (let i = 0; i < 300 && (await line.heard()).length === 0; i++) {
      await line.w.pass(100)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    expect((await line.heard())[0]).toContain('segunda a sexta')
    await line.w.quiet()
    const usage = await line.inWindow('GET', 'usage')
    expect(usage.totals).toMatchObject({ answered: 1, handed_over: 0 })
    expect(usage.totals.cost_usd).toBeGreaterThan(0)
    const [turn] = (await line.inWindow('GET', `conversations/${line.person}/turns`)).data
    expect(turn).toMatchObject({ state: 'answered', source: 'model', message_ids: [expect.stringMatching(/^msg_/)] })
  })

  test('unsaved settings can be tried, and stay unsaved', async () => {
    const line = await bench.line()
    await line.ai('PUT', 'provider-keys/custom', SANDBOX)
    const said = { reply: 'Arr! Rua das Flores, 123.', confidence: 0.9, needs_person: false }
    await line.w.api('POST', '/v1/sandbox/model/replies', { replies: [{ text: JSON.stringify(said) }] })
    const agent = { provider: 'custom', model: 'sandbox-1', system_prompt: 'Talk like a pirate.' }
    const tried = await line.ai('POST', 'test', { message: 'onde fica a loja?', agent })
    expect(tried).toMatchObject({ reply: said.reply, source: 'model' })
    expect((await line.ai('GET', 'agents')).data).toMatchObject([{ provider: 'builtin', system_prompt: '' }])
    const path = `/v1/instances/${line.instanceId}/ai/test`
    const refused = await line.w.api('POST', path, { message: 'x', agent: { provider: 'custom' } })
    expect([refused.status, refused.body.error.code]).toEqual([400, 'validation_error'])
  })

  test('what it knows gets vectors in the background, and they are used', async () => {
    const line = await bench.line({ agent: null })
    await line.ai('PUT', 'provider-keys/custom', SANDBOX)
    await line.ai('POST', 'agents', { name: 'M', provider: 'custom', model: 'sandbox-1' })
    await line.ai('POST', 'test', { message: 'onde fica a loja?' })
    const vectors = () =>
      line.w.rows('SELECT ref, model FROM ai_vectors WHERE instance_id = :id', { id: line.instanceId })
    for (let i = 0; i < 200 && (await vectors()).length < 3; i++) await moment(line)
    expect(await vectors()).toHaveLength(3)
    await line.ai('POST', 'test', { message: 'onde fica a loja?' })
    const { body } = await line.w.api('GET', '/v1/sandbox/model')
    // The question itself, this time.
    expect(body.requests.filter(({ path }: any) => path.endsWith('/embeddings')).length).toBeGreaterThan(1)
    const [entry] = (await line.ai('GET', 'faq?q=loja')).data
    await line.ai('DELETE', `faq/${entry.id}`)
    await line.ai('POST', 'faq', { question: 'Tem Wi-Fi?', answer: 'Sim.' })
    await line.ai('POST', 'test', { message: 'onde fica a loja?' })
    for (let i = 0; i < 200 && (await vectors()).some(({ ref }: any) => ref === `faq:${entry.id}`); i++)
      await moment(line)
    expect((await vectors()).map(({ ref }: any) => ref)).not.toContain(`faq:${entry.id}`)
  })

  test('an HTTP tool is called with its secret, and the model gets the result without it', async () => {
    const line = await bench.line({ agent: null })
    await line.ai('PUT', 'provider-keys/custom', SANDBOX)
    const { id } = await line.ai('POST', 'agents', { name: 'M', provider: 'custom', model: 'sandbox-1' })
    await line.inWindow('POST', `agents/${id}/http-tools`, {
      ...{ name: 'order_status', description: 'Looks up an order.', method: 'POST', secret: 'Bearer s3cr3t-value' },
      url: 'https://catcher.sandbox/orders',
      parameters: [{ name: 'number', type: 'string', description: 'x', required: true }],
    })
    const final = { reply: 'Your order is on its way.', confidence: 0.9, needs_person: false }
    await line.w.api('POST', '/v1/sandbox/model/replies', {
      replies: [
        { tool_calls: [{ name: 'order_status', arguments: { number: 'A-1', to: '12025559999' } }] },
        { tool_calls: [{ name: 'order_status', arguments: { number: 'A-1' } }] },
        { text: JSON.stringify(final) },
      ],
    })
    const test = await line.ai('POST', 'test', { message: 'Where is my order A-1?' })
    expect(test).toMatchObject({ reply: final.reply, handoff: null })
    expect(JSON.stringify(test)).not.toContain('s3cr3t')
    const [called] = (await line.w.api('GET', '/v1/sandbox/catcher/orders')).body.data
    expect(called.headers).toMatchObject({ authorization: 'Bearer s3cr3t-value' })
    expect(JSON.parse(called.body)).toEqual({ number: 'A-1' })
  })

  test('a suggestion is made for a paused chat, and nothing is sent', async () => {
    const line = await bench.line()
    await line.ai('POST', `conversations/${line.person}/pause`, {})
    await line.write('onde fica a loja?')
    await line.w.pass(10_000)
    const suggestion = await line.inWindow('POST', `conversations/${line.person}/suggestions`)
    expect(suggestion).toMatchObject({ reply: 'Ficamos na Rua das Flores, 123, no centro.' })
    expect(await line.heard()).toEqual([])
  })
})

test('an evaluation runs in the background and is compared with the previous one', async () => {
  const line = await bench.line()
  const cases = [
    { question: 'qual o horário?', expects: 'answer', facts: ['8h', '18h | 6 pm'] },
    { question: 'onde fica a loja?', expects: 'answer', facts: ['Avenida'] },
    { question: 'vocês fazem tatuagem de henna?', expects: 'handoff', facts: [] },
  ]
  const { id } = await line.inWindow('POST', 'evaluations', { name: 'Antes', cases })
  const run = async () => {
    const started = await line.inWindow('POST', `evaluations/${id}/runs`, {})
    await line.w.pass(5_000)
    return line.inWindow('GET', `evaluations/${id}/runs/${started.id}`)
  }
  const first = await run()
  expect(first).toMatchObject({ status: 'completed', total: 3, done: 3, passed: 2 })
  expect(first.results[1]).toMatchObject({ passed: false, missing: ['Avenida'], before: null })
  const [entry] = (await line.ai('GET', 'faq?q=loja')).data
  await line.ai('PATCH', `faq/${entry.id}`, { answer: 'Na Avenida Central, 1.' })
  const second = await run()
  expect(second).toMatchObject({ passed: 3 })
  expect(second.results.map(({ before }: any) => before)).toEqual([true, false, true])
})

test('HTTP tools keep their secret, and drop it when they move to another host', async () => {
  const line = await bench.line()
  const [{ id }] = (await line.ai('GET', 'agents')).data
  const tool = {
    name: 'order_status',
    description: 'Looks up an order.',
    method: 'GET',
    url: 'https://catcher.sandbox/orders/{number}',
  }
  const parameters = [{ name: 'number', type: 'string', description: 'x', required: true }]
  const made = await line.inWindow('POST', `agents/${id}/http-tools`, {
    ...tool,
    parameters,
    secret: 'Bearer s3cr3t-value',
  })
  expect(made).toMatchObject({ has_secret: true, secret_header: 'Authorization' })
  expect(JSON.stringify(made)).not.toContain('s3cr3t')
  const post = async (body: object) =>
    (await asConsole(line.w)('POST', at(line, `agents/${id}/http-tools`), body)).status
  expect(await post({ ...tool, parameters })).toBe(400)
  expect(await post({ ...tool, name: 'faq_search', parameters })).toBe(400)
  expect(await post({ ...tool, name: 'other', url: 'http://127.0.0.1/x' })).toBe(400)
  expect(await post({ ...tool, name: 'other', url: 'https://{host}/x', parameters })).toBe(400)
  const moved = await line.inWindow('PATCH', `agents/${id}/http-tools/${made.id}`, {
    url: 'https://media.sandbox/{number}',
  })
  expect(moved).toMatchObject({ has_secret: false })
})

test('deleting the instance deletes everything of its agents', async () => {
  const line = await bench.line()
  await line.ask('vocês fazem tatuagem de henna?')
  await line.ai('PUT', 'provider-keys/openai', { api_key: 'sk-test-4f9c2d7be1' })
  await line.w.api('DELETE', `/v1/instances/${line.instanceId}?confirm=true`)
  await line.w.quiet()
  const tables = [
    'ai_provider_keys',
    'ai_instances',
    'ai_agents',
    'ai_conversations',
    'ai_turns',
    'ai_faq',
    'ai_unanswered',
  ]
  for (const table of tables)
    expect(
      await line.w.rows(`SELECT 1 AS one FROM ${table} WHERE instance_id = :id`, { id: line.instanceId }),
      table,
    ).toEqual([])
})
