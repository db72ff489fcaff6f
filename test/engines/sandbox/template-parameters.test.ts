import { describe, expect, test } from 'vitest'
import { parameterFault } from '../../../main/engines/sandbox/template-parameters.ts'
import type { Template } from '../../../main/engines/templates.ts'

const template = (...components: object[]): Template => ({
  ...{ id: '1', name: 'offer', language: 'en', status: 'APPROVED', category: 'MARKETING', quality: null },
  ...{
    rejectedReason: null,
    pausedUntilMs: null,
    categoryChange: null,
    suspension: null,
    ttlSeconds: null,
    deletedAtMs: null,
    components,
  },
})
const text = (value: unknown, name?: string) => ({
  ...{ type: 'text', text: value },
  ...(name !== undefined && { parameter_name: name }),
})
const part = (type: string, ...parameters: object[]) => ({ type, parameters })
const button = (index: number, sub_type: string, ...parameters: object[]) => ({
  ...{ type: 'button', sub_type, index: String(index), parameters },
})
const codeOf = (found: Template | undefined, ...components: unknown[]) =>
  parameterFault({ name: 'offer', components }, found)?.code ?? null

const BODY = { type: 'BODY', text: 'Dear {{1}}, your order {{2}} is here.' }
const NAMED = { type: 'BODY', text: 'Dear {{name}}, your order {{order}} is here.' }
const header = (format: string) => ({ type: 'HEADER', format })
const buttons = (...given: object[]) => ({ type: 'BUTTONS', buttons: given })
const REPLY = { type: 'QUICK_REPLY', text: 'Yes' }
const LINK = { type: 'URL', text: 'Open', url: 'https://luz.example/{{1}}' }
const STATIC = { type: 'URL', text: 'Open', url: 'https://luz.example' }
const CODE = { type: 'COPY_CODE', example: '25OFF' }
const FLOW = { type: 'FLOW', text: 'Book', flow_id: '1' }
const IMAGE = { type: 'image', image: { link: 'https://media.sandbox/image.png' } }
const PLACE = { type: 'location', location: { latitude: '40.4', longitude: '-3.7' } }
const PRODUCT = { type: 'product', product: { catalog_id: '7', product_retailer_id: 'rose' } }
const PRODUCTS = { type: 'MPM', text: 'View items' }
const products = (...ids: string[]) => ({
  type: 'action',
  action: { sections: [{ title: 'Summer', product_items: ids.map((id) => ({ product_retailer_id: id })) }] },
})
const coupon = (coupon_code: unknown) => ({ type: 'coupon_code', coupon_code })

describe('the values of a body', () => {
  test.each<[string, object, unknown[], number | null]>([
    ['are as many as its variables', BODY, [part('body', text('Ana'), text('1042'))], null],
    ['may be too few', BODY, [part('body', text('Ana'))], 132_000],
    ['may be too many', BODY, [part('body', text('Ana'), text('1042'), text('x'))], 132_000],
    ['may be missing', BODY, [], 132_000],
    ['may be empty', BODY, [part('body', text(''), text('1042'))], 131_008],
    ['may be white space', BODY, [part('body', text('Ana'), text(' '))], 131_008],
    ['may be a number', BODY, [part('body', text('Ana'), text(1042))], 131_008],
    ['may have a line break', BODY, [part('body', text('Ana\nMaria'), text('1042'))], 132_018],
    ['may have a tab', BODY, [part('body', text('Ana\tMaria'), text('1042'))], 132_018],
    ['may have five spaces', BODY, [part('body', text('Ana     Maria'), text('1042'))], 132_018],
    ['may have four spaces', BODY, [part('body', text('Ana    Maria'), text('1042'))], null],
    ['may be a picture', BODY, [part('body', IMAGE, text('1042'))], 132_012],
    ['may be too long once filled in', BODY, [part('body', text('x'.repeat(1_024)), text('1042'))], 132_005],
    [
      'may be a currency',
      BODY,
      [part('body', { type: 'currency', currency: { fallback_value: '$1' } }, text('2'))],
      null,
    ],
    ['are found by their names', NAMED, [part('body', text('1042', 'order'), text('Ana', 'name'))], null],
    ['may lack their names', NAMED, [part('body', text('Ana'), text('1042'))], 132_012],
    ['may have other names', NAMED, [part('body', text('Ana', 'name'), text('1042', 'number'))], 132_012],
    ['may be for a text without variables', { type: 'BODY', text: 'Hi' }, [part('body', text('Ana'))], 132_000],
    ['may be written in capitals', BODY, [part('BODY', text('Ana'), text('1042'))], null],
  ])('%s', (_, body, given, expected) => {
    expect(codeOf(template(body), ...given)).toBe(expected)
  })
})

const HI = { type: 'BODY', text: 'Hi' }

describe('a header', () => {
  test.each<[string, string, unknown[], number | null]>([
    ['with a picture takes a picture', 'IMAGE', [part('header', IMAGE)], null],
    ['with a picture takes no text', 'IMAGE', [part('header', text('a'))], 132_012],
    ['with a picture needs one', 'IMAGE', [], 132_012],
    ['with a picture takes one', 'IMAGE', [part('header', IMAGE, IMAGE)], 132_000],
    ['with a picture needs its file', 'IMAGE', [part('header', { type: 'image', image: {} })], 131_008],
    ['with a video takes no picture', 'VIDEO', [part('header', IMAGE)], 132_012],
    ['with a place takes a place', 'LOCATION', [part('header', PLACE)], null],
    ['with a place needs where it is', 'LOCATION', [part('header', { type: 'location', location: {} })], 131_008],
    ['with a product takes a product', 'PRODUCT', [part('header', PRODUCT)], null],
    ['with a product needs its catalog', 'PRODUCT', [part('header', { type: 'product', product: {} })], 131_008],
  ])('%s', (_, format, given, expected) => {
    expect(codeOf(template(header(format), HI), ...given)).toBe(expected)
  })
})

describe('buttons', () => {
  test.each<[string, object[], unknown[], number | null]>([
    ['without anything of their own need nothing', [REPLY, STATIC, FLOW], [], null],
    ['may answer with a payload', [REPLY], [button(0, 'quick_reply', { type: 'payload', payload: 'YES' })], null],
    ['with a variable need its value', [LINK], [], 131_008],
    ['with a variable take its value', [REPLY, LINK], [button(1, 'url', text('summer'))], null],
    ['with a variable take no empty value', [LINK], [button(0, 'url', text(''))], 131_008],
    ['without a variable take no value', [STATIC], [button(0, 'url', text('summer'))], 132_018],
    ['are found by their place', [REPLY, LINK], [button(0, 'url', text('summer'))], 132_012],
    ['may not be there', [REPLY], [button(3, 'quick_reply')], 132_018],
    ['with a code need one', [CODE], [], 131_008],
    ['with a code take one', [CODE], [button(0, 'copy_code', coupon('SUMMER20'))], null],
    ['with a code take no empty one', [CODE], [button(0, 'copy_code', coupon(''))], 131_008],
    ['with a code take 15 characters', [CODE], [button(0, 'copy_code', coupon('x'.repeat(16)))], 132_018],
    ['with products need them', [PRODUCTS], [], 131_008],
    ['with products take them', [PRODUCTS], [button(0, 'mpm', products('rose'))], null],
    ['with products take no empty list', [PRODUCTS], [button(0, 'mpm', products())], 131_008],
  ])('%s', (_, given, components, expected) => {
    expect(codeOf(template(HI, buttons(...given)), ...components)).toBe(expected)
  })
})

test('the values for an unknown template are checked without the template', () => {
  expect(codeOf(undefined, part('body', text('a'), text('b'), text('c')))).toBeNull()
  expect(codeOf(undefined, part('body', text('')))).toBe(131_008)
  expect(codeOf(undefined, part('body', text('a\nb')))).toBe(132_018)
  expect(codeOf(undefined, 'nonsense', null, 5)).toBeNull()
})
