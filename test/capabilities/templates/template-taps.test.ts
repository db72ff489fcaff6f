import { expect, test } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { officialNumber } from '../../support/official-number.ts'
import { worldOfTest, type World } from '../../support/world.ts'

const ANA = '12025550178'
const NUMBER = '12025550481'
const PHONE = `/v1/sandbox/phones/${ANA}/messages`
const DRAFT = {
  ...{ name: 'delivery', language: 'en', category: 'UTILITY' },
  components: [
    { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}', example: { header_text: ['7'] } },
    { type: 'BODY', text: 'Hello {{1}}, shall we deliver today?', example: { body_text: [['Ana']] } },
    { type: 'FOOTER', text: 'The garden shop' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Yes' },
        { type: 'QUICK_REPLY', text: 'No' },
        { type: 'URL', text: 'Track', url: 'https://garden.example/{{1}}', example: ['7'] },
      ],
    },
  ],
}
const text = (value: string) => ({ type: 'text', text: value })
const MESSAGE = {
  type: 'template',
  template: {
    ...{ name: 'delivery', language: { code: 'en' } },
    components: [
      { type: 'header', parameters: [text('1042')] },
      { type: 'body', parameters: [text('Ana')] },
      { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [{ type: 'payload', payload: 'today' }] },
      { type: 'button', sub_type: 'url', index: '2', parameters: [text('1042')] },
    ],
  },
}

async function overGraph(w: World): Promise<string> {
  return (await officialNumber(w, NUMBER)).id
}
const directly = async (w: World): Promise<string> => (await w.official(NUMBER)).id

test.each([
  ['at the simulated Meta', overGraph, { graphBaseUrl: 'sandbox', network: 'live' }],
  ['of the sandbox', directly, {}],
] as const)(
  'the quick replies of a template are shown on the phone and come back as answers: %s',
  async (_, connect, settings) => {
    const w = await worldOfTest({ settings })
    const id = await connect(w)
    expect((await w.api('POST', `/v1/instances/${id}/templates`, DRAFT)).status).toBe(201)
    await w.pass(3_000)
    const sent = await w.api('POST', `/v1/instances/${id}/messages`, { to: ANA, cloud_api: MESSAGE })
    expect(sent.status, sent.text).toBe(201)
    await w.pass(3_000)
    const [received] = (await w.api('GET', PHONE)).body.data
    expect(received).toMatchObject({
      ...{ type: 'template', text: 'Hello Ana, shall we deliver today?' },
      content: {
        ...{ type: 'interactive', kind: 'template', header: 'Order 1042', footer: 'The garden shop' },
        buttons: [
          { id: 'today', title: 'Yes' },
          { id: 'No', title: 'No' },
        ],
        ...{ button: 'Track', url: 'https://garden.example/1042' },
      },
    })
    for (const [button, title] of [
      ['today', 'Yes'],
      ['No', 'No'],
    ]) {
      const tapped = await w.api('POST', `${PHONE}/${received.id}/tap`, { id: button })
      expect(tapped.body).toMatchObject({ from: ANA, text: title })
      await w.pass(3_000)
      const [answer] = (await asConsole(w)('GET', `/v1/instances/${id}/conversations/${ANA}/messages`)).body.data
      expect(answer).toMatchObject({
        ...{ direction: 'in', type: 'text', text: title, quoted_message_id: sent.body.message_id },
        content: { type: 'button_reply', id: button, title },
      })
    }
    expect((await w.api('POST', `${PHONE}/${received.id}/tap`, { id: 'Track' })).status).toBe(400)
  },
)
