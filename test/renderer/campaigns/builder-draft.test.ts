import { expect, test } from 'vitest'
import type { CampaignMessage } from '../../../main/contract/campaign-message.ts'
import type { CampaignConfig } from '../../../main/contract/campaign.ts'
import {
  changesOf,
  isPaceValid,
  missingIn,
  newDraft,
  toStored,
  unfinishedAt,
} from '../../../renderer/rooms/campaigns/builder-draft.ts'
import {
  countWordings,
  findMessageProblem,
  listVariables,
  NEW_MESSAGE,
  toCampaignMessage,
  toMessageDraft,
  type MessageDraft,
} from '../../../renderer/rooms/campaigns/message-draft.ts'
import { newInteractive } from '../../../renderer/parts/interactive-draft.ts'
import { toPhoneMessage } from '../../../renderer/rooms/campaigns/preview.ts'
import {
  fillTemplateText,
  listTemplateFields,
  readTemplatePayload,
  toTemplatePayload,
  type Template,
} from '../../../renderer/rooms/campaigns/template.ts'

const TEMPLATE: Template = {
  ...{ id: '1', name: 'offer', language: 'pt_BR', status: 'APPROVED', category: 'MARKETING' },
  ...{
    quality: null,
    rejected_reason: null,
    rejection_help: null,
    paused_until: null,
    category_change: null,
    restriction: null,
    ttl_seconds: null,
    deletes_at: null,
  },
  components: [
    { type: 'HEADER', format: 'IMAGE' },
    { type: 'BODY', text: 'Dear {{1}}, everything for {{2}}.' },
    { type: 'FOOTER', text: 'Luz' },
    { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Open', url: 'https://luz.example/{{1}}' }] },
  ],
}
const VALUES = { 'header.image': 'https://luz.example/a.png', 'body.1': '{{name}}', 'body.2': 'you', 'button.0.1': 'x' }
const text = (value: string): MessageDraft => ({ ...NEW_MESSAGE, text: value })
const menu = (body: string): MessageDraft => ({
  ...NEW_MESSAGE,
  ...{ kind: 'interactive', interactive: { ...newInteractive('button', body), buttons: ['Yes, {{city}}'] } },
})
const ANA = { phone: '5511988887777', name: 'Ana', variables: { City: 'Recife' } }
const preview = (draft: MessageDraft, engine: 'smv2' | 'official' = 'smv2') =>
  toPhoneMessage(draft, { engine, person: ANA, known: ['City'], seed: 'a', templates: [TEMPLATE] })

test.each<[string, CampaignMessage]>([
  ['a text with buttons', { text: 'Hi', buttons: [{ id: '1', text: 'Yes' }] }],
  [
    'a file by its address',
    { media_url: 'https://a.example/b.pdf', media_type: 'document', caption: 'C', filename: 'b.pdf' },
  ],
  ['an uploaded file', { media_id: 'med_1', media_type: 'image', caption: 'C' }],
  [
    'a template',
    {
      cloud_api: toTemplatePayload({ name: 'offer', language: 'pt_BR', values: VALUES }, TEMPLATE),
    },
  ],
  [
    'a menu',
    {
      interactive: {
        ...{ type: 'list', header: 'For {{name}}', body: '{Hi|Hello} {{name}}', button: 'Choose' },
        sections: [{ rows: [{ id: 'A visit in {{City}}', title: 'A visit in {{City}}' }] }],
      },
    },
  ],
  ['a link of a column', { interactive: { type: 'cta_url', body: 'Look', button: 'Open', url: '{{City}}' } }],
  [
    'a form with values, which only programs can give',
    { interactive: { type: 'flow', body: 'Fill in', button: 'Open', flow: { name: 'visit', token: '{{City}}' } } },
  ],
  ['a payload of a program', { cloud_api: { type: 'interactive', interactive: { type: 'list' } } }],
])('%s is unchanged after editing', (_name, message) => {
  expect(toCampaignMessage(toMessageDraft(message), [TEMPLATE])).toEqual(message)
})

test('does not store an empty variation and gives the reason', () => {
  const broken: readonly [MessageDraft, string][] = [
    [NEW_MESSAGE, 'empty'],
    [{ ...NEW_MESSAGE, kind: 'file' }, 'noFile'],
    [{ ...NEW_MESSAGE, kind: 'file', file: { ...NEW_MESSAGE.file, source: 'url', url: 'a.png' } }, 'badUrl'],
    [{ ...NEW_MESSAGE, kind: 'template' }, 'noTemplate'],
    [{ ...NEW_MESSAGE, kind: 'template', template: { name: 'offer', language: 'pt_BR', values: {} } }, 'templateField'],
    [{ ...NEW_MESSAGE, kind: 'interactive' }, 'interactive'],
    [text('{a|b'), 'unclosed'],
    [menu('{a|b'), 'unclosed'],
  ]
  for (const [draft, problem] of broken) expect(findMessageProblem(draft, [TEMPLATE])).toBe(problem)
  expect(findMessageProblem(text('Hi'), [])).toBeUndefined()
  expect(toCampaignMessage(NEW_MESSAGE, [])).toBeUndefined()
})

test('names the first variation that cannot be stored, ignoring empty ones', () => {
  expect(unfinishedAt([NEW_MESSAGE, text('Hi')], [])).toBe(0)
  expect(unfinishedAt([text('Hi'), text('{a|b'), text('{c')], [])).toBe(2)
})

test('variables and wordings are counted over all variations', () => {
  expect(listVariables([text('{{name}} {{City}}'), text('{a|{{name}}}')])).toEqual(['name', 'city'])
  expect(countWordings([text('{a|b} {c|d}'), text('x')])).toBe(5)
  expect([listVariables([menu('{a|{{name}}}')]), countWordings([menu('{a|b}')])]).toEqual([['name', 'city'], 2])
})

test('the preview shows a menu with the person’s values', () => {
  const { text: body, interactive } = preview(menu('Hi {{name}}'), 'official')
  expect([body, interactive?.buttons.map(({ title }) => title)]).toEqual(['Hi Ana', ['Yes, Recife']])
})

test('a template lists its variables, and its payload is in Graph’s format', () => {
  const fields = listTemplateFields(TEMPLATE)
  expect(fields.map(({ key }) => key)).toEqual(['header.image', 'body.1', 'body.2', 'button.0.1'])
  const choice = { name: 'offer', language: 'pt_BR', values: VALUES }
  const payload = toTemplatePayload(choice, TEMPLATE)
  expect(payload).toEqual({
    type: 'template',
    template: {
      name: 'offer',
      language: { code: 'pt_BR' },
      components: [
        { type: 'header', parameters: [{ type: 'image', image: { link: 'https://luz.example/a.png' } }] },
        {
          type: 'body',
          parameters: [
            { type: 'text', text: '{{name}}' },
            { type: 'text', text: 'you' },
          ],
        },
        { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'x' }] },
      ],
    },
  })
  expect(readTemplatePayload(payload)).toEqual(choice)
  expect(readTemplatePayload({ type: 'text' })).toBeUndefined()
  expect(fillTemplateText('{{1}} and {{2}}', 'body', { 'body.1': 'A' })).toBe('A and {{2}}')
})

test('a copy-code button needs its code', () => {
  const coupon: Template = {
    ...TEMPLATE,
    components: [
      { type: 'BODY', text: 'For you.' },
      { type: 'BUTTONS', buttons: [{ type: 'COPY_CODE', example: '25OFF' }] },
    ],
  }
  const fields = listTemplateFields(coupon)
  expect(fields.map(({ key }) => key)).toEqual(['button.0.code'])
  const choice = { name: 'offer', language: 'pt_BR', values: { 'button.0.code': '{{code}}' } }
  const payload = toTemplatePayload(choice, coupon)
  const parameters = [{ type: 'coupon_code', coupon_code: '{{code}}' }]
  expect(payload).toMatchObject({
    template: { components: [{ type: 'button', sub_type: 'copy_code', index: '0', parameters }] },
  })
  expect(readTemplatePayload(payload)).toEqual(choice)
})

const DETAILED: Template = {
  ...TEMPLATE,
  components: [
    { type: 'HEADER', format: 'LOCATION' },
    { type: 'BODY', text: 'Come and see.' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Yes' },
        { type: 'MPM', text: 'View items' },
      ],
    },
  ],
}

test('a place and products are filled in fields of their own', () => {
  const place = { latitude: '40.4', longitude: '-3.7', placeName: 'Luz', address: 'Calle Mayor 1' }
  const values = {
    ...Object.fromEntries(Object.entries(place).map(([name, value]) => [`header.${name}`, value])),
    'button.1.sectionTitle': 'Summer',
    'button.1.productIds': 'rose, {{plant}}',
  }
  const choice = { name: 'offer', language: 'pt_BR', values }
  expect(listTemplateFields(DETAILED).map(({ key }) => key)).toEqual(Object.keys(values))
  const payload = toTemplatePayload(choice, DETAILED)
  const { placeName: name, ...where } = place
  const items = [{ product_retailer_id: 'rose' }, { product_retailer_id: '{{plant}}' }]
  const action = { thumbnail_product_retailer_id: 'rose', sections: [{ title: 'Summer', product_items: items }] }
  expect(payload).toMatchObject({
    template: {
      components: [
        { type: 'header', parameters: [{ type: 'location', location: { ...where, name } }] },
        { type: 'button', sub_type: 'mpm', index: '1', parameters: [{ type: 'action', action }] },
      ],
    },
  })
  expect(readTemplatePayload(payload)).toEqual(choice)
})

test('the product of a header is named with its catalog', () => {
  const product: Template = { ...TEMPLATE, components: [{ type: 'HEADER', format: 'PRODUCT' }] }
  const choice = {
    ...{ name: 'offer', language: 'pt_BR' },
    values: { 'header.catalogId': '7', 'header.productId': 'rose' },
  }
  const payload = toTemplatePayload(choice, product)
  const parameters = [{ type: 'product', product: { catalog_id: '7', product_retailer_id: 'rose' } }]
  expect(payload).toMatchObject({ template: { components: [{ type: 'header', parameters }] } })
  expect(readTemplatePayload(payload)).toEqual(choice)
})

test('the preview shows the final text, and unknown variables as written', () => {
  expect(preview(text('Hi {{name}} in {{ city }}, {{zip}} {{tier|gold}}')).text).toBe('Hi Ana in Recife, {{zip}} gold')
})

test('buttons are numbers in the text, except up to three below a text of an official number', () => {
  const three = { ...text('Choose:'), buttons: ['A', 'B', '', 'C'] }
  expect(preview(three)).toMatchObject({ text: 'Choose:\n\n1. A\n2. B\n3. C', buttons: [] })
  expect(preview(three, 'official')).toMatchObject({ text: 'Choose:', buttons: ['A', 'B', 'C'] })
  const four = { ...three, buttons: ['A', 'B', 'C', 'D'] }
  expect(preview(four, 'official')).toMatchObject({ text: 'Choose:\n\n1. A\n2. B\n3. C\n4. D', buttons: [] })
  expect(preview({ ...three, kind: 'file' }, 'official').buttons).toEqual([])
})

test('shows a filled template with file, footer and button', () => {
  const draft: MessageDraft = {
    ...NEW_MESSAGE,
    kind: 'template',
    template: { name: 'offer', language: 'pt_BR', values: VALUES },
  }
  expect(preview(draft, 'official')).toEqual({
    header: '',
    media: { type: 'image', url: 'https://luz.example/a.png', filename: '' },
    ...{ text: 'Dear Ana, everything for you.', footer: 'Luz', cards: [], buttons: ['Open'] },
  })
})

const PACE: CampaignConfig = {
  ...{ minDelay: 8, maxDelay: 25, pauseAfter: 50, pauseFor: [300, 900], hourlyLimit: 80, dailyLimit: null },
  window: { start: '08:00', end: '20:00', timezone: 'UTC', days: [1] },
  ...{ stopOnErrorPercent: 20, maxFailuresInRow: 5, rotation: 'round_robin', weights: {}, variation: 'random' },
  ...{ skipIfContactedHours: 24, checkNumbers: true, typing: true, budget: null },
}

test('saves only changes', () => {
  const before = toStored({ ...newDraft('March'), instanceIds: ['i1'] }, [])
  expect(changesOf(before, before)).toBeUndefined()
  const after = toStored({ ...newDraft('March'), instanceIds: ['i1'], messages: [text('Hi')] }, [])
  expect(changesOf(before, after)).toEqual({ messages: [{ text: 'Hi' }] })
  const open = toStored({ ...newDraft('March'), instanceIds: ['i1'], messages: [text('{Hi|')] }, [])
  expect(changesOf(after, open)).toBeUndefined()
  expect(changesOf({}, before)).toEqual({ name: 'March', instance_ids: ['i1'], messages: [], scheduled_at: null })
})

test('sends the budget only if it changed, because a held account may not set it', () => {
  const budget = { amount_micros: 5_000_000, currency: 'usd', warn_percent: 80 }
  const storedWith = (config: Partial<CampaignConfig>) =>
    toStored({ ...newDraft('March'), instanceIds: ['i1'], config: { ...PACE, ...config } }, [])
  const { budget: _, ...slow } = { ...PACE, minDelay: 10 }
  for (const kept of [null, budget])
    expect(changesOf(storedWith({ budget: kept }), storedWith({ budget: kept, minDelay: 10 }))).toEqual({
      config: slow,
    })
  expect(changesOf(storedWith({ budget }), storedWith({ budget: null }))).toEqual({ config: PACE })
  expect(changesOf(storedWith({ budget: null }), storedWith({ budget }))).toEqual({ config: { ...PACE, budget } })
})

test('each step reports what is missing', () => {
  const missing = (draft = newDraft(' '), total = 0) =>
    (['numbers', 'message', 'people', 'pace', 'review'] as const).map((step) =>
      missingIn(step, draft, { total, templates: [] }),
    )
  expect(missing()).toEqual([['name', 'numbers'], ['message'], ['people'], [], []])
  expect(missing({ ...newDraft('A'), instanceIds: ['i1'], messages: [text('Hi')] }, 3)).toEqual([[], [], [], [], []])
})

test('delays and hours must be in order', () => {
  expect(isPaceValid(PACE)).toBe(true)
  expect(isPaceValid({ ...PACE, window: null })).toBe(true)
  expect(isPaceValid({ ...PACE, minDelay: 30 })).toBe(false)
  expect(isPaceValid({ ...PACE, pauseFor: [9, 8] })).toBe(false)
  const from = { start: '20:00', timezone: 'UTC', days: [1] }
  expect(isPaceValid({ ...PACE, window: { ...from, end: '08:00' } })).toBe(true)
  expect(isPaceValid({ ...PACE, window: { ...from, end: '20:00' } })).toBe(false)
})
