import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { InstanceId } from '../../../main/kernel/ids.ts'
import { ApiError } from '../../../main/contract/errors.ts'
import { instancesRoom, type InstancesRoom } from '../../support/instances.ts'

const NUMBER = '12025550123'
const PASSPHRASE = 'correct horse battery'
const FILES = { 'creds.json': '{"me":1}', 'pre-key-1.json': '{}' }

let room: InstancesRoom
let stored: string[]

beforeEach(async () => {
  room = await instancesRoom()
  stored = []
  room.smv2.sessions = {
    async read({ id }, files) {
      if (files['creds.json'] === undefined) throw new ApiError('validation_error', 'The folder has no creds.json.')
      return { number: NUMBER, store: async () => void stored.push(id) }
    },
    export: async () => FILES,
  }
})
afterEach(() => room.close())

async function* bytes(text: string) {
  // Cut anywhere: chunks of a request know no lines.
  for (const part of text.match(/[^]{1,7}/g) ?? []) yield Buffer.from(part)
}
const upload = (...lines: readonly unknown[]) =>
  room.instances.readSession(room.accountId, bytes(lines.map((line) => JSON.stringify(line)).join('\n')))
const folder = Object.entries(FILES).map(([name, content]) => ({ name, content }))
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('it was accepted'),
    (error: unknown) => (error instanceof ApiError ? `${error.code}: ${error.message}` : expect.fail(String(error))),
  )
const status = async (id: InstanceId) => {
  const { status, last_disconnect_reason: reason } = await room.instances.get(id)
  return [status, reason]
}

describe('an import', () => {
  test('first stores the session and then connects', async () => {
    const { id } = await room.create()
    room.newEvents()
    const moved = await room.instances.moving.importSession(id, await upload(...folder))
    expect(moved).toEqual({ status: 'connecting', number: NUMBER })
    expect([stored, room.smv2.calls.slice(-2)]).toEqual([[id], [`stop ${id}`, `start ${id}`]])
    expect(room.newEvents()).toMatchObject([{ type: 'instance.connecting' }])
  })

  test('of an invalid session changes nothing', async () => {
    const { id } = await room.create()
    expect(await refusal(room.instances.moving.importSession(id, {}))).toContain('validation_error')
    expect([stored, await status(id)]).toEqual([[], ['created', null]])
  })

  test('is refused if the instance already has a phone', async () => {
    const { id } = await room.connected()
    expect(await refusal(room.instances.moving.importSession(id, FILES))).toMatch(
      /invalid_state: .*already has a phone/,
    )
    expect([stored, (await status(id))[0]]).toEqual([[], 'connected'])
  })

  test('into the sandbox is refused', async () => {
    const { id } = await room.create()
    delete room.smv2.sessions
    expect(await refusal(room.instances.moving.importSession(id, FILES))).toContain('Only live numbers')
  })
})

describe('an export', () => {
  test('ends the connection here, and can be opened elsewhere only with its passphrase', async () => {
    const { id } = await room.connected()
    const session = await room.instances.moving.exportSession(id, PASSPHRASE)
    expect(await status(id)).toEqual(['disconnected', 'moved'])
    expect(room.newEvents()).toMatchObject([
      { type: 'instance.disconnected', data: { reason: 'moved', will_retry: false } },
    ])
    expect((await room.instances.health(id)).issues).toMatchObject([{ code: 'moved' }])
    expect(session).not.toContain('creds')
    expect(await upload({ passphrase: PASSPHRASE }, JSON.parse(session))).toEqual(FILES)
    expect(await refusal(upload({ passphrase: 'correct horse batterx' }, JSON.parse(session)))).toMatch(/does not open/)
    expect(await refusal(upload(JSON.parse(session)))).toMatch(/does not open/)
  })

  test('can be repeated', async () => {
    const { id } = await room.connected()
    await room.instances.moving.exportSession(id, PASSPHRASE)
    const again = await room.instances.moving.exportSession(id, PASSPHRASE)
    expect(await upload({ passphrase: PASSPHRASE }, JSON.parse(again))).toEqual(FILES)
    expect(await status(id)).toEqual(['disconnected', 'moved'])
  })

  test('of an instance without a phone is refused', async () => {
    const { id } = await room.create()
    expect(await refusal(room.instances.moving.exportSession(id, PASSPHRASE))).toMatch(/nothing to export/)
  })
})

describe('an uploaded session', () => {
  test.each([
    ['a line that is not JSON', '{"name":"creds.json","content":"{}"}\n{', /Line 2 is not valid JSON/],
    ['a line that is nothing of these', '{"name":"creds.json"}', /Line 1 is neither/],
    ['null', 'null', /Line 1 is neither/],
    [
      'a cost that would take all memory',
      '{"switchboard_session":1,"salt":"","cost":1073741824,"sealed":""}',
      /changed/,
    ],
  ])('with %s is refused', async (_name, text, sentence) => {
    expect(await refusal(room.instances.readSession(room.accountId, bytes(text)))).toMatch(sentence)
  })
})
