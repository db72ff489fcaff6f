import { expect, test } from 'vitest'
import { canonicalNumber, parsePhone, readPhone } from '../../main/kernel/phone-number.ts'

test.each([
  ['5511998765432', '551198765432'],
  ['551198765432', '551198765432'],
  ['5531998765432', '553198765432'],
])('the Brazilian mobile %s is %s, with the ninth digit or without', (written, canonical) => {
  expect(canonicalNumber(written)).toBe(canonical)
})

test.each([
  ['a landline of the digits that are left', '5511932345678'],
  ['a landline', '551132345678'],
  ['a number of another country', '12025550123'],
  ['another country that begins alike', '5429987654321'],
  ['fewer digits', '55119987654'],
  ['more digits', '55119987654321'],
  ['an area that does not exist', '5501998765432'],
])('%s stays as it is', (_what, number) => {
  expect(canonicalNumber(number)).toBe(number)
})

test.each([
  ['11 91234-5678', 'BR', '5511912345678'],
  ['(11) 91234-5678', 'BR', '5511912345678'],
  ['5511912345678', 'BR', '5511912345678'],
  ['551181234567', 'BR', '5511981234567'],
  ['(11) 8123-4567', 'BR', '5511981234567'],
  ['+55 11 8123-4567', null, '5511981234567'],
  ['12025550123', 'BR', '12025550123'],
  ['12025550123', null, '12025550123'],
  ['2025550123', 'US', '12025550123'],
  ['+1 (202) 555-0123', 'BR', '12025550123'],
  ['0044 7911 123456', 'BR', '447911123456'],
  ['4915123456789', 'DE', '4915123456789'],
  ['34600123456', 'BR', '34600123456'],
  ['600 12 34 56', 'ES', '34600123456'],
])('%s in %s is %s', (text, country, digits) => {
  expect(parsePhone(text, country)).toBe(digits)
})

test.each([
  ['11 91234-5678', null],
  ['12345', 'US'],
  ['', 'BR'],
  ['Ana', 'BR'],
  ['call 12025550123', 'US'],
  ['12025550123 12025550124', 'US'],
  ['+0000000000', 'US'],
])('%j in %s is no number', (text, country) => {
  expect(parsePhone(text, country)).toBeUndefined()
})

test('a number of no numbering plan can be read if it is digits alone', () => {
  expect(readPhone('+5215512345678', 'MX')).toBe('5215512345678')
  expect(readPhone('(11) 91234-5678', 'BR')).toBe('5511912345678')
  expect(readPhone('123456', 'BR')).toBeUndefined()
  expect(readPhone('x5215512345678', 'BR')).toBeUndefined()
})
