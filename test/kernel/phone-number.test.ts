import { describe, expect, test } from 'vitest'
import { dialledNumber, parsePhone, personKey, readPhone, spellingsOf } from '../../main/kernel/phone-number.ts'

/** Spellings of one person: what is dialled today comes first. */
const ONE_PERSON: readonly (readonly [name: string, dialled: string, ...others: string[]])[] = [
  ['a Brazilian mobile from before the ninth digit', '5511998765432', '551198765432'],
  ['one of an area in which both forms occur', '5547989211984', '554789211984'],
  ['a Mexican mobile', '525512345678', '5215512345678'],
  ['an Argentine mobile', '5491123456789', '541123456789'],
  ['a Beninese number from before November 2024', '2290197123456', '22997123456'],
  ['an Ivorian mobile of Orange from before 2021', '2250718139912', '22518139912'],
  ['one of Moov', '2250101234567', '22501234567'],
  ['one of MTN', '2250545678901', '22545678901'],
  ['a British mobile with the trunk zero', '447911123401', '4407911123401'],
  ['a Brazilian mobile with the trunk zero', '5511912345678', '55011912345678'],
  ['a German mobile with the trunk zero', '4915112345678', '49015112345678'],
  ['a French mobile with the trunk zero', '33612345678', '330612345678'],
  ['a Uruguayan mobile with the trunk zero', '59894123456', '598094123456'],
  ['a Gabonese mobile as it is dialled at home', '24162123456', '241062123456'],
  ['an American number with a doubled 1', '12025556403', '112025556403'],
]

describe.each(ONE_PERSON)('%s', (_name, dialled, ...others) => {
  const all = [dialled, ...others]

  test('has one comparison key in all spellings', () => {
    expect(new Set(all.map(personKey)).size).toBe(1)
    expect(personKey(personKey(dialled))).toBe(personKey(dialled))
  })

  test('is found under every spelling that a network uses', () => {
    const kept = all.map((digits) => parsePhone(`+${digits}`, null) ?? '')
    for (const spelling of kept) expect(spellingsOf(dialled)).toContain(spelling)
  })
})

test.each([
  ['a landline in place of the mobile without its ninth digit', '5511936181234'],
  ['a Brazilian landline', '551136181234'],
  ['a number of another country', '12025550123'],
  ['another country that begins alike', '5429987654321'],
  ['fewer digits than a Brazilian mobile', '55119987654'],
  ['more digits', '55119987654321'],
  ['an area that does not exist', '5501998765432'],
  ['an Ivorian landline from before 2021', '22520304050'],
  ['a Congolese mobile, whose zero belongs to it', '242061234567'],
  ['an Italian landline, whose zero belongs to it', '390612345678'],
  ['a Mexican number that would begin with 1', '5211234567890'],
  ['a group', '120363041234567890@g.us'],
  ['a person who hides their number', 'US.13491208655302741918'],
  ['the empty name', ''],
])('%s keeps its own comparison key', (_what, number) => {
  expect(personKey(number)).toBe(number)
})

test.each([
  ['551198765432', '5511998765432'],
  ['5511998765432', '5511998765432'],
  ['5215512345678', '525512345678'],
  ['22997123456', '2290197123456'],
  ['22518139912', '2250718139912'],
  ['541123456789', '541123456789'],
  ['551136181234', '551136181234'],
  ['4407911123401', '447911123401'],
])('%s is dialed as %s', (known, dialled) => {
  expect(dialledNumber(known)).toBe(dialled)
})

describe('phone numbers as people write them', () => {
  test.each([
    ['11 91234-5678', 'BR', '5511912345678'],
    ['(11) 91234-5678', 'BR', '5511912345678'],
    ['5511912345678', 'BR', '5511912345678'],
    ['(11) 8123-4567', 'BR', '5511981234567'],
    ['0800 046 4636', 'BR', '558000464636'],
    ['12025550123', 'BR', '12025550123'],
    ['12025550123', null, '12025550123'],
    ['2025550123', 'US', '12025550123'],
    ['+1 (202) 555-0123', 'BR', '12025550123'],
    ['4915123456789', 'DE', '4915123456789'],
    ['34600123456', 'BR', '34600123456'],
    ['600 12 34 56', 'ES', '34600123456'],
    ['55 1234 5678', 'MX', '525512345678'],
    ['1 55 1234 5678', 'MX', '525512345678'],
    ['044 55 1234 5678', 'MX', '525512345678'],
    ['+52 045 55 1234 5678', null, '525512345678'],
    ['011 15-2345-6789', 'AR', '5491123456789'],
    ['+54 11 15 2345-6789', null, '5491123456789'],
    ['89161234567', 'RU', '79161234567'],
    ['+7 8 916 123 45 67', null, '79161234567'],
    ['97 12 34 56', 'BJ', '2290197123456'],
    ['18 13 99 12', 'CI', '2250718139912'],
  ])('%s in %s is parsed as %s', (text, country, digits) => {
    expect(parsePhone(text, country)).toBe(digits)
  })

  test.each(['551181234567', '5215512345678', '22997123456', '22518139912', '541123456789', '5491123456789'])(
    'keeps the spelling +%s, because a network may use it',
    (digits) => {
      expect(parsePhone(`+${digits}`, null)).toBe(digits)
      expect(parsePhone(digits, null)).toBe(digits)
    },
  )

  test.each([
    ['+44 (0)7911 123401', '447911123401'],
    ['+55 (0)11 91234-5678', '5511912345678'],
    ['+96103123456', '9613123456'],
    ['+62 081 2345 67890', '6281234567890'],
    ['+5950981123456', '595981123456'],
    ['+102025556403', '12025556403'],
    ['+112025556403', '12025556403'],
    ['4407911123401', '447911123401'],
  ])('drops from %s the digits that are not dialed from abroad', (text, digits) => {
    expect(parsePhone(text, null)).toBe(digits)
  })

  test.each([
    ['0044 7911 123456', 'BR', '447911123456'],
    ['0112025556403', 'US', '12025556403'],
    ['011 1 202 555 6403', 'US', '12025556403'],
    ['011 44 7911 123456', null, '447911123456'],
  ])('drops the international call prefix from %s', (text, country, digits) => {
    expect(parsePhone(text, country)).toBe(digits)
  })

  test.each([
    ['a link', 'tel:+55-11-91234-5678'],
    ['a link with an extension', 'tel:+5511912345678;ext=12'],
    ['a formula', '="5511912345678"'],
    ['a cell that was told to be text', "'+5511912345678"],
    ['an address of a telephone network', 'whatsapp:+5511912345678'],
    ['an address of the other network', '5511912345678@s.whatsapp.net'],
    ['marks of direction', '\u202A+55 11 91234-5678\u202C'],
    ['isolated directions', '\u2066+5511912345678\u2069'],
    ['a space without width', '+55\u200B11\u200E912345678'],
    ['a mark of byte order', '\uFEFF5511912345678'],
    ['spaces that do not break', '+55\u00A011\u202F91234\u20115678'],
    ['a minus sign', '+55 11 91234\u22125678'],
    ['wide digits', '＋５５１１９１２３４５６７８'],
    ['Arabic digits', '+٥٥١١٩١٢٣٤٥٦٧٨'],
  ])('reads a number despite %s', (_what, text) => {
    expect(parsePhone(text, null)).toBe('5511912345678')
  })

  test.each([
    ['11 91234-5678', null],
    ['12345', 'US'],
    ['', 'BR'],
    ['Ana', 'BR'],
    ['call 12025550123', 'US'],
    ['12025550123 12025550124', 'US'],
    ['+0000000000', 'US'],
    ['5501136181234567', null],
    [`+1202555${'0'.repeat(10_000)}`, null],
  ])('%j in %s is not a phone number', (text, country) => {
    expect(parsePhone(text, country)).toBeUndefined()
  })
})

test('a number outside every numbering plan is readable only if it has nothing but digits', () => {
  expect(readPhone('+23771234567', 'CM')).toBe('23771234567')
  expect(readPhone('(11) 91234-5678', 'BR')).toBe('5511912345678')
  expect(readPhone('123456', 'BR')).toBeUndefined()
  expect(readPhone('x5215512345678', 'BR')).toBeUndefined()
})
