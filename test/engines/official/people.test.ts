import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { numberChange } from '../../../main/engines/sandbox/graph/callback-bodies.ts'
import { waIdOf } from '../../../main/engines/sandbox/graph/wa-id.ts'
import { ANA, answered, cloudWorld, messagesBody, OURS, statusOf, textFrom, type CloudWorld } from './cloud-world.ts'

const MEXICAN = '525512345678'
const ITS_ACCOUNT = '5215512345678'

let world: CloudWorld
let instance: EngineInstance
beforeEach(async () => {
  world = await cloudWorld()
  instance = await world.connected()
})
afterEach(() => world.close())

const namesThem = (waId: string) =>
  world.answer((request, path) => {
    if (!path.endsWith('/messages')) return undefined
    const { to: input } = sentIn(request)
    return answered(200, { contacts: [{ input, wa_id: waId }], messages: [{ id: 'wamid.1' }] })
  })
const sentIn = (request: CloudWorld['asked'][number]) =>
  JSON.parse((request.body as Buffer).toString()) as { to: string }
const chats = () => world.of(instance, 'received').map(({ chat }) => chat)

describe('a number that Meta writes differently from how it is dialed', () => {
  test('is sent to as it is dialed', async () => {
    namesThem(ITS_ACCOUNT)
    await world.send(instance, { to: ITS_ACCOUNT })
    await world.send(instance, { to: MEXICAN })
    expect(world.asked.map(sentIn)).toMatchObject([{ to: MEXICAN }, { to: MEXICAN }])
  })

  test('replies in the chat with the dialed number, also after a restart', async () => {
    namesThem(ITS_ACCOUNT)
    await world.send(instance, { to: MEXICAN })
    await world.callBack(instance, messagesBody({ messages: [textFrom(ITS_ACCOUNT, 'a')] }))
    await world.restart()
    await world.official.engine.begin()
    await world.callBack(instance, messagesBody({ messages: [textFrom(ITS_ACCOUNT, 'b')] }))
    expect(chats()).toEqual([MEXICAN, MEXICAN])
    expect(world.of(instance, 'contact')).toEqual([])
  })

  test('by no known rule is merged with the dialed number', async () => {
    namesThem('12025550777')
    await world.send(instance, { to: ANA })
    await world.send(instance, { to: ANA })
    await world.callBack(instance, messagesBody({ messages: [textFrom('12025550777', 'a')] }))
    expect(world.of(instance, 'contact')).toEqual([{ kind: 'contact', hiddenId: '12025550777', number: ANA }])
    expect(chats()).toEqual([ANA])
  })

  test('is not learned from a raw payload to another person', async () => {
    world.answer((_request, path) =>
      path.endsWith('/messages')
        ? answered(200, { contacts: [{ input: '12025550999', wa_id: '12025550999' }], messages: [{ id: 'wamid.1' }] })
        : undefined,
    )
    await world.send(instance, { kind: 'cloud_api', to: ANA, payload: { to: '12025550999', type: 'text' } } as never)
    expect(world.of(instance, 'contact')).toEqual([])
  })
})

test('a status connects a Meta id with a number', async () => {
  const status = statusOf('wamid.1', 'delivered', { recipient_user_id: 'US.9' })
  await world.callBack(instance, messagesBody({ statuses: [status] }))
  expect(world.of(instance, 'contact')).toEqual([{ kind: 'contact', hiddenId: 'US.9', number: ANA }])
})

describe('a person whose number changed', () => {
  const NEW = '12025550303'
  const change = (before: string, after: string) =>
    world.callBack(instance, {
      object: 'whatsapp_business_account',
      entry: [
        {
          id: '102290129340398',
          changes: [numberChange(graphNumber, { id: 'wamid.s', before, after, atMs: 1_767_614_400_000 })],
        },
      ],
    })
  const graphNumber = { number: OURS, phoneNumberId: '106540352242922' } as never

  test('is known by the new number, also under the new id', async () => {
    await change(ANA, NEW)
    expect(world.told(instance)).toEqual([
      { kind: 'number_changed', before: `US.${ANA}`, after: NEW },
      { kind: 'number_changed', before: ANA, after: NEW },
      { kind: 'contact', hiddenId: `US.${NEW}`, number: NEW },
    ])
  })

  test('is known only by an id if the new number is hidden', async () => {
    await world.callBack(instance, messagesBody({ contacts: [{ wa_id: ANA, user_id: `US.${ANA}` }] }))
    world.forget()
    await change(ANA, '900000000000009')
    expect(world.of(instance, 'number_changed')).toContainEqual({
      ...{ kind: 'number_changed', before: ANA, after: 'US.900000000000009' },
    })
    await world.callBack(instance, messagesBody({ messages: [{ ...textFrom('', 'a'), from_user_id: `US.${ANA}` }] }))
    expect(chats()).toEqual([`US.${ANA}`])
  })

  test('is found by the old id if the old number was hidden', async () => {
    await world.callBack(instance, messagesBody({ contacts: [{ wa_id: ANA, user_id: 'US.900000000000009' }] }))
    world.forget()
    await change('900000000000009', NEW)
    expect(world.of(instance, 'number_changed').map(({ before }) => before)).toEqual(['US.900000000000009', ANA])
  })

  test('is reported again after a failure, and unknown system messages change nothing', async () => {
    world.sink.refusals = 1
    await change(ANA, NEW)
    await world.clock.advance(1_000)
    expect(world.of(instance, 'number_changed')).toHaveLength(2)
    const odd = { from: ANA, id: 'x', timestamp: '1767614400', type: 'system', system: { type: 'something_new' } }
    await world.callBack(instance, messagesBody({ messages: [odd] }))
    expect(world.of(instance, 'number_changed')).toHaveLength(2)
  })
})

test.each([
  [MEXICAN, ITS_ACCOUNT],
  [ITS_ACCOUNT, ITS_ACCOUNT],
  ['541123456789', '5491123456789'],
  ['5531988887777', '553188887777'],
  ['5511981234567', '5511981234567'],
  ['551136181234', '551136181234'],
  [ANA, ANA],
])('the simulated Meta writes %s as %s', (number, account) => {
  expect(waIdOf(number)).toBe(account)
})
