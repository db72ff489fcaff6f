import { expect, test } from 'vitest'
import {
  exampleKeys,
  NEW_TEMPLATE,
  toComponents,
  toForm,
  toPreview,
  type Template,
} from '../../renderer/rooms/templates/template-form.ts'

const template = (...components: Template['components']): Template => ({
  ...{ id: '1', name: 'offer', language: 'pt_BR', status: 'APPROVED', category: 'MARKETING', quality: null },
  ...{ rejected_reason: null, rejection_help: null, paused_until: null, components },
})
const BODY = { type: 'BODY', text: 'Dear {{1}}, see {{2}} soon.', example: { body_text: [['Ana', 'it']] } }
const NAMED = {
  type: 'BODY',
  text: 'Dear {{name}}, hello.',
  example: { body_text_named_params: [{ param_name: 'name', example: 'Ana' }] },
}
const HEADER = { type: 'HEADER', format: 'TEXT', text: 'For {{1}}', example: { header_text: ['Ana'] } }
const PICTURE = { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::aW'] } }
const FOOTER = { type: 'FOOTER', text: 'Luz' }
const REPLY = { type: 'QUICK_REPLY', text: 'Yes' }
const LINK = { type: 'URL', text: 'Open', url: 'https://luz.example' }
const CODE = { type: 'COPY_CODE', example: '25OFF' }

test.each([
  ['a body', [BODY]],
  ['named variables', [NAMED]],
  ['all parts', [HEADER, BODY, FOOTER, { type: 'BUTTONS', buttons: [REPLY, LINK] }]],
  ['a header with a picture', [PICTURE, BODY]],
  ['buttons that the form does not have', [BODY, { type: 'BUTTONS', buttons: [REPLY, CODE] }]],
])('%s is the same after it was edited and nothing changed', (_, components) => {
  expect(toComponents(toForm(template(...components)))).toEqual(components)
})

test('answers stand together, before links', () => {
  const [reply, link] = [
    { kind: 'QUICK_REPLY', text: 'Yes', url: '' },
    { kind: 'URL', text: 'Open', url: LINK.url },
  ] as const
  const form = { ...NEW_TEMPLATE, body: 'Hi', buttons: [reply, link, { ...reply, text: 'No' }] }
  expect(toComponents(form).at(-1)).toEqual({ type: 'BUTTONS', buttons: [REPLY, { ...REPLY, text: 'No' }, LINK] })
  expect(toPreview(form).buttons).toEqual(['Yes', 'No', 'Open'])
})

test('each variable needs an example, and the preview shows it', () => {
  const form = { ...NEW_TEMPLATE, header: 'For {{1}}', body: 'Dear {{1}}, see {{2}} and {{1}}.' }
  expect(exampleKeys(form)).toEqual(['header.1', 'body.1', 'body.2'])
  const examples = { 'header.1': 'you', 'body.1': 'Ana' }
  expect(toPreview({ ...form, examples })).toMatchObject({ header: 'For you', text: 'Dear Ana, see {{2}} and Ana.' })
})
