import { expect, test } from 'vitest'
import { canonicalNumber } from '../../main/kernel/phone-number.ts'

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
