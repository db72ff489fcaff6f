import { describe, expect, test } from 'vitest'
import { worldOfTest, type World } from '../../support/world.ts'
import { campaign, phonesFrom } from './campaign-world.ts'

const FAST = { minDelay: 0, maxDelay: 0 }

const templateOf = (...texts: readonly string[]) => ({
  cloud_api: {
    type: 'template',
    template: {
      name: 'order_update',
      language: { code: 'en' },
      components: [{ type: 'body', parameters: texts.map((text) => ({ type: 'text', text })) }],
    },
  },
})

const skipsOf = async (w: World, id: string) =>
  (await w.api('GET', `/v1/campaigns/${id}/recipients`)).body.data.map((row: any) => [row.status, row.skip_reason])

const risksOf = (body: any, code: string) => body.risks.filter((risk: any) => risk.code === code)

describe('a campaign from official numbers', () => {
  test('replaces line breaks, tabs and spaces in the values of a template', async () => {
    const w = await worldOfTest()
    const official = await w.official()
    const [one = ''] = phonesFrom(1)
    const recipients = [{ phone: one, name: ' Ana\n', variables: { order: '10\t42\r\n      and 43' } }]
    const messages = [templateOf('{{name}}', '{{order}}')]
    const { body } = await w.api('POST', '/v1/campaigns', {
      ...{ instance_ids: [official.id], name: 'Orders', messages, recipients, config: FAST, start: true },
    })
    await w.pass(5_000)
    expect((await campaign(w, body.campaign_id)).counts).toMatchObject({ sent: 1, failed: 0 })
    const got = JSON.stringify((await w.api('GET', `/v1/sandbox/phones/${one}/messages`)).body)
    expect(got).toContain('10 42 and 43')
  })

  test('names rows without a value before it starts, and skips them without counting a failure', async () => {
    const w = await worldOfTest()
    const official = await w.official()
    const phones = phonesFrom(8)
    // More holes in a row than failures that would pause it.
    const recipients = phones.map((phone, at) => ({
      phone,
      name: 'Ana',
      variables: { order: at === 0 ? '1042' : ' ' },
    }))
    const wish = {
      ...{ instance_ids: [official.id], name: 'Orders', messages: [templateOf('{{name}}', '{{order}}')], recipients },
      config: FAST,
    }
    const { body: preview } = await w.api('POST', '/v1/campaigns/preview', wish)
    expect(risksOf(preview, 'incomplete')).toMatchObject([
      { severity: 'warning', params: { count: 7, looked: 8, row: 2, phone: phones[1], variation: 1 } },
    ])
    const { body } = await w.api('POST', '/v1/campaigns', { ...wish, start: true })
    await w.pass(5_000)
    expect(await campaign(w, body.campaign_id)).toMatchObject({
      status: 'completed',
      counts: { sent: 1, failed: 0, skipped: 7 },
    })
    expect((await skipsOf(w, body.campaign_id))[1]).toEqual(['skipped', 'incomplete'])
  })

  test('names the longest row, and skips people whose message is too long for Meta', async () => {
    const w = await worldOfTest()
    const official = await w.official()
    const [short = '', long = '', longer = ''] = phonesFrom(3)
    const recipients = [
      { phone: short, variables: { city: 'x' } },
      { phone: long, variables: { city: 'y'.repeat(600) } },
      { phone: longer, variables: { city: 'z'.repeat(700) } },
    ]
    const messages = [{ text: `${'a'.repeat(3_600)}{{city}}` }]
    const wish = { instance_ids: [official.id], name: 'Long', messages, recipients, config: FAST }
    const { body: preview } = await w.api('POST', '/v1/campaigns/preview', wish)
    expect(risksOf(preview, 'too_long')).toMatchObject([
      { severity: 'warning', params: { count: 2, row: 3, phone: longer, length: 4_300, limit: 4_096, variation: 1 } },
    ])
    const { body } = await w.api('POST', '/v1/campaigns', { ...wish, start: true })
    await w.pass(5_000)
    // Nobody has written to the number, so that Meta refuses the first one for another reason.
    expect((await campaign(w, body.campaign_id)).counts).toMatchObject({ failed: 1, skipped: 2 })
    expect(await skipsOf(w, body.campaign_id)).toEqual([
      [expect.not.stringMatching('skipped'), null],
      ['skipped', 'too_long'],
      ['skipped', 'too_long'],
    ])
  })

  test('previews the longest options, whatever the samples contain', async () => {
    const w = await worldOfTest()
    const official = await w.official()
    const messages = [{ text: `{${'a'.repeat(4_090)}|Hi} {{name|there, my friend}}` }]
    const recipients = phonesFrom(3).map((phone) => ({ phone }))
    const wish = { instance_ids: [official.id], name: 'Options', messages, recipients, config: FAST }
    const { body } = await w.api('POST', '/v1/campaigns/preview', wish)
    expect(risksOf(body, 'too_long')).toMatchObject([{ params: { count: 3, length: 4_107 } }])
  })

  test.each([
    ['text', { text: 'a'.repeat(4_097) }],
    ['options', { text: `{${'a'.repeat(4_097)}|${'b'.repeat(5_000)}}` }],
    ['template', templateOf('a'.repeat(600), 'b'.repeat(600))],
  ])('refuses a %s that is too long for everybody', async (_what, message) => {
    const w = await worldOfTest()
    const official = await w.official()
    const recipients = [{ phone: phonesFrom(1)[0] }]
    const wish = { instance_ids: [official.id], name: 'Long', messages: [message], recipients, start: true }
    const refused = await w.api('POST', '/v1/campaigns', wish)
    expect([refused.status, refused.body.error.code]).toEqual([400, 'validation_error'])
    expect(refused.body.error.message).toMatch(/messages 1: .* may have (4096|1024)/)
    const { body: preview } = await w.api('POST', '/v1/campaigns/preview', wish)
    expect(preview.can_start).toBe(false)
  })
})

test('a linked phone sends what is too long for an official number', async () => {
  const w = await worldOfTest()
  const recipients = [{ phone: phonesFrom(1)[0] }]
  const messages = [{ text: 'a'.repeat(5_000) }]
  const wish = { instance_ids: [(await w.pair()).id], name: 'Long', messages, recipients, config: FAST, start: true }
  const { body } = await w.api('POST', '/v1/campaigns', wish)
  await w.pass(5_000)
  expect((await campaign(w, body.campaign_id)).counts).toMatchObject({ sent: 1, failed: 0, skipped: 0 })
})
