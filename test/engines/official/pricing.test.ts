import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { ANA, graphWorld, soon, type Credentials, type GraphWorld } from './graph-world.ts'

let world: GraphWorld
let credentials: Credentials
let instance: EngineInstance
beforeEach(async () => {
  world = await graphWorld()
  credentials = await world.number('12025550200')
  instance = await world.connect(credentials)
})
afterEach(() => world.close())

/** What the simulated Meta wrote of prices, by status. */
const called = () =>
  world.callbacks
    .flatMap((body) => body.entry.flatMap((entry: any) => entry.changes))
    .flatMap((change) => change.value.statuses ?? [])
    .map((status) => [status.status, status.pricing])

const sendTemplate = (name: string, language: string, components: object[] = []) =>
  world.send(instance, {
    kind: 'cloud_api',
    to: ANA,
    payload: { type: 'template', template: { name, language: { code: language }, components } },
  })
const readBy = (messageId: string) => soon('read', () => world.statuses(instance, messageId).includes('read'))

const regular = (category: string) => ({ billable: true, pricing_model: 'PMP', type: 'regular', category })

describe('the simulated Meta', () => {
  test('sends the price of a service message with the statuses sent and delivered, and not with read', async () => {
    await readBy((await world.send(instance, { to: ANA })).messageId)
    const price = regular('service')
    expect(called()).toEqual([
      ['sent', price],
      ['delivered', price],
      ['read', undefined],
    ])
  })

  test.each([
    ['utility', 'hello_world', 'en_US', []],
    [
      'marketing',
      'spring_offer',
      'en',
      [
        { type: 'header', parameters: [{ type: 'image', image: { link: 'https://media.sandbox/image.png' } }] },
        { type: 'body', parameters: [{ type: 'text', text: 'Ana' }] },
      ],
    ],
  ])(
    'prices a template by its category, also within the service window: %s',
    async (category, name, language, parts) => {
      await readBy((await sendTemplate(name, language, parts)).messageId)
      expect(called()[0]).toEqual(['sent', regular(category)])
    },
  )

  test('charges nothing after the first answer to a person who came from an ad', async () => {
    const content = { type: 'text', text: 'Your ad?', referral: { source_type: 'ad', source_id: '1' } } as const
    await world.network.speak(world.accountId, ANA, { to: '12025550200', group: null, content })
    await soon('heard', () => world.of(instance, 'received').some(({ referral }) => referral !== null))
    await readBy((await sendTemplate('hello_world', 'en_US')).messageId)
    const free = { billable: false, pricing_model: 'PMP', type: 'free_entry_point', category: 'referral_conversion' }
    expect(called()[0]).toEqual(['sent', free])
  })

  test('sends no price with the status failed', async () => {
    const { messageId } = await world.send(instance, { to: '12025550105' })
    await soon('failed', () => world.statuses(instance, messageId).length > 0)
    expect(called()).toEqual([['failed', undefined]])
  })
})
