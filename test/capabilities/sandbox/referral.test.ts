import { afterAll, beforeAll, expect, test } from 'vitest'
import { world, type World } from '../../support/world.ts'

let w: World
let number: string
beforeAll(async () => {
  w = await world()
  number = (await w.pair()).phone_number
})
afterAll(() => w.close())

const say = (referral: object) =>
  w.api('POST', '/v1/sandbox/phones/12025550177/messages', { to: number, text: 'Hi', referral })

test('the referral of an ad, as Meta sends it, is passed on unchanged', async () => {
  const referral = {
    ...{
      source_url: `https://fb.me/${'x'.repeat(2_000)}`,
      source_id: '120211',
      source_type: 'ad',
      media_type: 'image',
    },
    ...{
      headline: 'Spring',
      body: 'Half price',
      image_url: null,
      ctwa_clid: 'ARAk',
      welcome_message: { text: 'Hello' },
    },
  }
  const mark = await w.mark()
  expect((await say(referral)).status).toBe(201)
  const [event] = (await w.eventsSince(mark)).filter(({ type }) => type === 'message.received')
  expect(event?.data['referral']).toEqual(referral)
})

test.each([
  ['a long text', { headline: 'x'.repeat(4_097) }, 'referral.headline must have at most 4096 characters.'],
  ['many fields', Object.fromEntries(Array.from({ length: 31 }, (_, at) => [at, 1])), 'referral must have at most 30'],
  ['a list', { headline: [1, 2] }, 'referral.headline must be a string'],
  [
    'an object in an object',
    { welcome_message: { text: { text: 'x' } } },
    'referral.welcome_message.text must be a string',
  ],
  ['a long name', { ['n'.repeat(65)]: 1 }, 'must have at most 64 characters'],
])('a referral with %s is refused', async (_name, referral, sentence) => {
  const mark = await w.mark()
  const { status, body } = await say(referral)
  expect([status, body.error.code]).toEqual([400, 'validation_error'])
  expect(body.error.message).toContain(sentence)
  expect(await w.typesSince(mark)).toEqual([])
})
