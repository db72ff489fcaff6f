import { expect, test } from 'vitest'
import { countryOf } from '../../main/kernel/phone-country.ts'

test.each([
  ['a Brazilian mobile', '5511912345678', 'BR'],
  ['a Mexican mobile in the old spelling', '5215512345678', 'MX'],
  ['a Canadian number', '14165550123', 'CA'],
  ['a number that no numbering plan has', '4429999999999', 'GB'],
  ['a person who hides their number', 'BR.13491208655302741918', 'BR'],
  ['one whom Meta names for a group of portfolios', 'US.ENT.11815799212886844830', 'US'],
  ['an id of no country', 'ZZ.13491208655302741918', ''],
  ['a hidden id of a phone line', '123456789012345@lid', ''],
  ['a group', '120363041234567890@g.us', ''],
  ['nothing', '', ''],
])('finds the country of %s', (_what, name, country) => {
  expect(countryOf(name)).toBe(country)
})
