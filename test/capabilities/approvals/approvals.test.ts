import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { world, type World } from '../../support/world.ts'
import { assistantOf } from './assistant.ts'

let w: World
let ask: ReturnType<typeof asConsole>
beforeAll(async () => {
  w = await world()
  ask = asConsole(w)
})
afterAll(() => w.close())

const exists = async (id: string) => (await w.api('GET', `/v1/instances/${id}`)).status === 200
const decide = (id: string, how: 'approve' | 'refuse') => ask('POST', `/v1/approvals/${id}/${how}`)
const read = async (id: string) => (await ask('GET', `/v1/approvals/${id}`)).body

describe.each(['modern', 'legacy'] as const)(
  'a destructive call of a key that requires approval, in a %s client',
  (era) => {
    test('waits until a person approves, is executed once, and returns its result when called again', async () => {
      const { id } = await w.instance({ name: 'Front desk' })
      const assistant = await assistantOf(w, 'destructive', era)
      const mark = await w.mark()
      const approval = await assistant.callAndWait('delete_instance', { instance_id: id })
      expect(await exists(id)).toBe(true)
      expect(await read(approval)).toEqual({
        id: approval,
        state: 'pending',
        sentence: `Delete an instance: “Front desk” (${id}).`,
        parts: [{ kind: 'subject', name: null, values: [`“Front desk” (${id})`], total: 1 }],
        tool: 'delete_instance',
        operation: 'DELETE /v1/instances/{id}',
        arguments: { instance_id: id },
        key: { id: assistant.keyId, name: 'Assistant' },
        created_at: new Date(w.clock.now()).toISOString(),
        expires_at: new Date(w.clock.now() + 5 * 60_000).toISOString(),
        decided_at: null,
        executed_at: null,
        result: null,
      })

      const approved = await decide(approval, 'approve')
      expect(approved).toMatchObject({
        status: 200,
        body: { state: 'executed', result: { status: 200, body: { id, deleted: true } } },
      })
      expect(await exists(id)).toBe(false)
      const told = await assistant.call('delete_instance', { instance_id: id, approval_id: approval })
      expect(told).toMatchObject({ code: undefined, body: { id, deleted: true } })
      expect(await w.typesSince(mark)).toEqual(['instance.deleted'])
      expect(assistant.asked).toEqual([])
    })

    test('returns its result once when it is repeated; the next repeat requests a new approval', async () => {
      const { id } = await w.instance()
      const assistant = await assistantOf(w, 'destructive', era)
      const approval = await assistant.callAndWait('delete_instance', { instance_id: id })
      expect(await assistant.callAndWait('delete_instance', { instance_id: id })).toBe(approval)
      await decide(approval, 'approve')
      expect((await assistant.call('delete_instance', { instance_id: id })).body).toMatchObject({ deleted: true })
      // Deleting is repeatable, so this wish passes the checks and waits again.
      expect(await assistant.callAndWait('delete_instance', { instance_id: id })).not.toBe(approval)
    })

    test('requires approval even with confirm: true', async () => {
      const { id } = await w.instance()
      const assistant = await assistantOf(w, 'destructive', era)
      const approval = await assistant.callAndWait('delete_instance', { instance_id: id, confirm: true })
      expect(await assistant.callAndWait('delete_instance', { instance_id: id })).toBe(approval)
      expect(await exists(id)).toBe(true)
    })

    test('is not executed if refused, and cannot be requested again for a while', async () => {
      const { id } = await w.instance()
      const assistant = await assistantOf(w, 'destructive', era)
      const approval = await assistant.callAndWait('delete_instance', { instance_id: id })
      expect((await decide(approval, 'refuse')).body.state).toBe('refused')
      for (const given of [{ instance_id: id }, { instance_id: id, approval_id: approval }]) {
        expect(await assistant.call('delete_instance', given)).toMatchObject({
          code: 'invalid_state',
          words: expect.stringContaining('refused'),
        })
      }
      expect((await decide(approval, 'approve')).body.error.code).toBe('invalid_state')
      expect(await exists(id)).toBe(true)
      await w.clock.advance(5 * 60_000)
      expect(await assistant.callAndWait('delete_instance', { instance_id: id })).not.toBe(approval)
    })

    test('has the argument approval_id, which tools that need no approval lack', async () => {
      const { tools } = await (await assistantOf(w, 'destructive', era)).client.listTools()
      const waiting = tools.filter(({ inputSchema }) => 'approval_id' in (inputSchema.properties ?? {}))
      expect(waiting.map(({ name }) => name)).toEqual([
        ...['create_instance', 'delete_instance', 'refresh_instance_qr', 'restart_instance', 'disconnect_instance'],
        ...['create_webhook', 'update_webhook', 'delete_webhook'],
        'retry_delivery',
      ])
      const other = await (await assistantOf(w, 'none', era)).client.listTools()
      expect(JSON.stringify(other.tools)).not.toContain('approval_id')
    })
  },
)

describe('an approval', () => {
  test('expires five minutes after the call: it can no longer be given, and the same call requests a new one', async () => {
    const { id } = await w.instance()
    const assistant = await assistantOf(w, 'destructive')
    const approval = await assistant.callAndWait('delete_instance', { instance_id: id })
    await w.clock.advance(5 * 60_000 - 1)
    expect((await read(approval)).state).toBe('pending')
    await w.clock.advance(1)
    expect((await read(approval)).state).toBe('expired')
    for (const how of ['approve', 'refuse'] as const) {
      const { status, body } = await decide(approval, how)
      expect([status, body.error.code]).toEqual([409, 'invalid_state'])
    }
    expect(await assistant.call('delete_instance', { instance_id: id, approval_id: approval })).toMatchObject({
      code: 'invalid_state',
      words: expect.stringContaining('expired'),
    })
    expect(await exists(id)).toBe(true)
    expect(await assistant.callAndWait('delete_instance', { instance_id: id })).not.toBe(approval)
  })

  test('executes the call once if it is approved twice at the same time', async () => {
    const { id } = await w.instance()
    const assistant = await assistantOf(w, 'destructive')
    const mark = await w.mark()
    const approval = await assistant.callAndWait('delete_instance', { instance_id: id })
    const both = await Promise.all([decide(approval, 'approve'), decide(approval, 'approve')])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(await w.typesSince(mark)).toEqual(['instance.deleted'])
  })

  test('is requested once if the same call comes several times at the same time', async () => {
    const { id } = await w.instance()
    const assistant = await assistantOf(w, 'destructive')
    const calls = [1, 2, 3, 4].map(() => assistant.callAndWait('delete_instance', { instance_id: id }))
    expect(new Set(await Promise.all(calls)).size).toBe(1)
  })

  test('is rejected when its key is revoked', async () => {
    const { id } = await w.instance()
    const assistant = await assistantOf(w, 'destructive')
    const approval = await assistant.callAndWait('delete_instance', { instance_id: id })
    await ask('DELETE', `/v1/keys/${assistant.keyId}`)
    expect((await read(approval)).state).toBe('refused')
    const { status, body } = await decide(approval, 'approve')
    expect([status, body.error.code]).toEqual([409, 'invalid_state'])
    expect(await exists(id)).toBe(true)
  })

  test('can be fetched only by its own key, with the arguments of its call or with none', async () => {
    const [{ id }, other] = [await w.instance(), await w.instance()]
    const assistant = await assistantOf(w, 'destructive')
    const stranger = await assistantOf(w, 'destructive')
    const approval = await assistant.callAndWait('delete_instance', { instance_id: id })
    const fetchAs = async (who: typeof assistant, given: object) =>
      (await who.call('delete_instance', { ...given, approval_id: approval })).code
    expect(await fetchAs(stranger, { instance_id: id })).toBe('not_found')
    expect(await fetchAs(assistant, { instance_id: other.id })).toBe('validation_error')
    await decide(approval, 'approve')
    expect(await fetchAs(assistant, { instance_id: other.id })).toBe('validation_error')
    for (let times = 0; times < 2; times++) expect(await fetchAs(assistant, {})).toBeUndefined()
    expect(await exists(other.id)).toBe(true)
  })

  test('is not requested for a call that would fail', async () => {
    const assistant = await assistantOf(w, 'sending')
    const { id } = await w.instance()
    const before = (await ask('GET', '/v1/approvals?limit=200')).body.data.length
    const unknown = '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60'
    expect((await assistant.call('delete_instance', { instance_id: unknown })).code).toBe('not_found')
    expect((await assistant.call('send_message', { instance_id: id, to: 'nobody', text: 'x' })).code).toBe(
      'validation_error',
    )
    expect((await assistant.call('delete_instance', { instance_id: id, approval_id: 5 })).code).toBe('validation_error')
    expect((await ask('GET', '/v1/approvals?limit=200')).body.data).toHaveLength(before)
  })

  test('cannot be requested by a key that already has twenty pending approvals', async () => {
    const assistant = await assistantOf(w, 'sending')
    const { id } = await w.instance()
    const say = (n: number) => ({ instance_id: id, to: '12025550123', text: `Hello ${n}` })
    for (let n = 0; n < 20; n++) await assistant.callAndWait('send_message', say(n))
    const { code, words } = await assistant.call('send_message', say(20))
    expect([code, words]).toEqual(['invalid_state', expect.stringContaining('20 calls of this key wait')])
  })
})

describe('a key that requires approval before sending', () => {
  test('sends the message once, under its own name, after a person approved', async () => {
    const line = await w.pair()
    const assistant = await assistantOf(w, 'sending')
    const mark = await w.mark()
    const given = { instance_id: line.id, to: '12025550123', text: 'Your order is ready.' }
    const approval = await assistant.callAndWait('send_message', given)
    expect((await read(approval)).sentence).toBe(
      `Send a message: “${line.name}” (${line.phone_number}, ${line.id}), to: “12025550123”, text: “Your order is ready.”.`,
    )
    expect(await w.typesSince(mark)).toEqual([])
    const { body } = await decide(approval, 'approve')
    expect(body.result).toMatchObject({ status: 201, body: { sent: true } })
    const told = await assistant.call('send_message', given)
    expect(told.body).toEqual(body.result.body)
    expect(await w.typesSince(mark)).toEqual(['message.sent', 'message.delivered', 'message.read'])
    const record = await w.api('GET', `/v1/instances/${line.id}/messages/${told.body['message_id']}`)
    expect(record.body.source).toBe('mcp')
  })

  test('shows the person the text and recipient of a message to forward, pin or edit, but not the assistant', async () => {
    const line = await w.pair()
    const assistant = await assistantOf(w, 'sending')
    const sent = await w.api('POST', `/v1/instances/${line.id}/messages`, {
      to: '12025550123',
      text: 'The code is 1234.',
    })
    const message_id = sent.body.message_id
    const call = { instance_id: line.id, group: 'message' }
    for (const given of [
      { ...call, action: 'forward', message_id, to: '12025550147' },
      { ...call, action: 'pin', message_id, pinned: true },
      { ...call, action: 'edit', message_id, text: 'There is no code.' },
    ]) {
      const id = await assistant.callAndWait('call_engine', given)
      const { parts, sentence } = await read(id)
      expect(parts).toEqual(
        expect.arrayContaining([
          { kind: 'message_text', name: null, values: ['“The code is 1234.”'], total: 1 },
          { kind: 'message_chat', name: null, values: ['12025550123'], total: 1 },
        ]),
      )
      expect(sentence).not.toContain('1234.')
    }
    const edit = { ...call, action: 'edit', message_id, text: 'There never was a code.' }
    const asked = await assistant.callAndWait('call_engine', edit)
    await w.api('POST', `/v1/instances/${line.id}/engine/smv2/message/edit`, { message_id, text: 'The code is 4321.' })
    await w.quiet()
    const late = await decide(asked, 'approve')
    expect([late.status, late.body], JSON.stringify(late.body)).toMatchObject([
      409,
      { error: { message: expect.stringContaining('has changed since the assistant asked') } },
    ])
  })

  test('also requires approval before destructive calls', async () => {
    const { id } = await w.instance()
    await (await assistantOf(w, 'sending')).callAndWait('delete_instance', { instance_id: id })
    expect(await exists(id)).toBe(true)
  })
})

describe('a key that requires approval before destructive calls', () => {
  test('sends messages without approval', async () => {
    const line = await w.pair()
    const told = await (
      await assistantOf(w, 'destructive')
    ).call('send_message', {
      ...{ instance_id: line.id, to: '12025550123', text: 'Hello' },
    })
    expect(told.body).toMatchObject({ sent: true })
  })

  test('requires approval before it disconnects, whether or not the session is discarded', async () => {
    const line = await w.pair()
    const assistant = await assistantOf(w, 'destructive')
    await assistant.callAndWait('disconnect_instance', { instance_id: line.id })
    expect((await w.api('GET', `/v1/instances/${line.id}`)).body.connected).toBe(true)
    const approval = await assistant.callAndWait('disconnect_instance', { instance_id: line.id, logout: true })
    const { body } = await decide(approval, 'approve')
    expect(body.result.body).toMatchObject({ logged_out: true })
  })

  test('needs no approval over HTTP, only for calls of an assistant', async () => {
    const { id } = await w.instance()
    const { key } = await assistantOf(w, 'destructive')
    expect((await w.api('DELETE', `/v1/instances/${id}?confirm=true`, undefined, { key })).status).toBe(200)
  })
})

describe('the list of approvals', () => {
  test('has pages, newest first, can be filtered by state, and contains only those of its account', async () => {
    const lines = [await w.instance(), await w.instance(), await w.instance()]
    const assistant = await assistantOf(w, 'destructive')
    const made: string[] = []
    for (const { id } of lines) {
      await w.clock.advance(10)
      made.unshift(await assistant.callAndWait('delete_instance', { instance_id: id }))
    }
    await decide(made[1]!, 'refuse')
    const ids = async (query: string) => {
      const { data, next_cursor } = (await ask('GET', `/v1/approvals?${query}`)).body
      return { ids: data.map(({ id }: { id: string }) => id), next_cursor }
    }
    expect((await ids('limit=3')).ids).toEqual(made)
    expect((await ids('state=pending&limit=2')).ids).toEqual([made[0], made[2]])
    expect((await ids('state=refused&limit=1')).ids).toEqual([made[1]])
    const first = await ids('limit=1')
    expect((await ids(`limit=2&cursor=${first.next_cursor}`)).ids).toEqual(made.slice(1))
    const foreign = await ask('GET', `/v1/approvals?state=pending&cursor=${first.next_cursor}`)
    expect(foreign.body.error.code).toBe('invalid_cursor')
    await w.clock.advance(5 * 60_000)
    expect((await ids('state=pending')).ids).toEqual([])
    expect((await ids('state=expired&limit=2')).ids).toEqual([made[0], made[2]])
  })

  test('is not accessible with an API key, in the OpenAPI document or as a tool', async () => {
    const { id } = (await ask('GET', '/v1/approvals?limit=1')).body.data[0]
    for (const [method, path] of [
      ['GET', '/v1/approvals'],
      ['GET', `/v1/approvals/${id}`],
      ['POST', `/v1/approvals/${id}/approve`],
      ['POST', `/v1/approvals/${id}/refuse`],
    ] as const)
      expect((await w.api(method, path)).body.error.code, path).toBe('not_found')
    expect((await w.api('GET', '/openapi.yaml')).text).not.toContain('/v1/approvals')
    const { tools } = await (await assistantOf(w, 'none')).client.listTools()
    expect(tools.filter(({ name }) => /appro|refuse/.test(name))).toEqual([])
  })

  test('shows nothing of another account', async () => {
    const { account } = await w.stranger()
    const theirs = asConsole({ ...w, account })
    const { id } = (await ask('GET', '/v1/approvals?limit=1')).body.data[0]
    expect((await theirs('GET', '/v1/approvals')).body.data).toEqual([])
    for (const [method, path] of [
      ['GET', `/v1/approvals/${id}`],
      ['POST', `/v1/approvals/${id}/approve`],
      ['POST', `/v1/approvals/${id}/refuse`],
    ] as const)
      expect((await theirs(method, path)).body.error.code).toBe('not_found')
  })
})

describe('a campaign whose start an assistant requested', () => {
  const asked = async () => {
    const line = await w.pair()
    const draft = {
      ...{ instance_ids: [line.id], name: 'Offer', config: { minDelay: 0, maxDelay: 0, checkNumbers: false } },
      messages: [{ text: 'Harmless' }],
      recipients: [{ phone: '12025554107' }],
    }
    const { campaign_id: id } = (await w.api('POST', '/v1/campaigns', draft)).body
    const wish = { name: 'Assistant', scopes: ['dispatch:manage'], approval: 'sending' }
    const { key } = (await ask('POST', '/v1/keys', wish)).body
    const assistant = await assistantOf(w, 'sending', 'modern', key)
    return { id, approval: await assistant.callAndWait('start_campaign', { campaign_id: id }) }
  }
  const statusOf = async (id: string) => (await w.api('GET', `/v1/campaigns/${id}`)).body.status

  const changes: readonly [string, object][] = [
    ['its text', { messages: [{ text: 'Other' }] }],
    ['another text beside it', { messages: [{ text: 'Harmless' }, { text: 'Other' }] }],
    ['a person in place of another', { recipients: [{ phone: '12025554108' }] }],
  ]
  test.each(changes)('changed by %s is not started by the earlier approval', async (_what, change) => {
    const { id, approval } = await asked()
    const before = await read(approval)
    w.clock.suspend(1_000)
    expect((await w.api('PATCH', `/v1/campaigns/${id}`, change)).status).toBe(200)
    const refused = await decide(approval, 'approve')
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } })
    expect(refused.body.error.message).toContain('has changed since the assistant asked')
    expect(await statusOf(id)).toBe('draft')
    const now = await read(approval)
    expect(now).toMatchObject({ state: 'pending', expires_at: before.expires_at })
    if ('messages' in change) expect(now.sentence).not.toBe(before.sentence)
    // Read again as it is now, it is approved as such.
    expect((await decide(approval, 'approve')).body).toMatchObject({ state: 'executed', result: { status: 200 } })
    expect(await statusOf(id)).not.toBe('draft')
  })

  test('is started immediately if nothing has changed', async () => {
    const { id, approval } = await asked()
    w.clock.suspend(1_000)
    expect((await decide(approval, 'approve')).body).toMatchObject({ state: 'executed', result: { status: 200 } })
    expect(await statusOf(id)).not.toBe('draft')
  })
})
