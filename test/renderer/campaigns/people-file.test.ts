import { expect, test } from 'vitest'
import {
  cellText,
  decodeText,
  findPhoneColumn,
  looksLikePhone,
  readPeopleFile,
  readPeopleText,
} from '../../../renderer/rooms/campaigns/people-file.ts'
import { cpuTime } from '../../support/cpu-time.ts'

const names = ({ columns }: Awaited<ReturnType<typeof readPeopleText>>) => columns.map(({ name }) => name)

test.each([
  ['commas', ','],
  ['semicolons', ';'],
  ['tabs', '\t'],
  ['bars', '|'],
])('reads a list with %s and its header', async (_name, mark) => {
  const table = await readPeopleText(
    ['Name', 'Phone', 'City'].join(mark) + '\r\n' + ['Ana', '+55 11 98888-7777', 'São Paulo'].join(mark) + '\r\n',
  )
  expect(names(table)).toEqual(['Name', 'Phone', 'City'])
  expect(table.rows).toEqual([{ line: 2, cells: ['Ana', '+55 11 98888-7777', 'São Paulo'] }])
  expect(findPhoneColumn(table)).toBe(1)
})

test('accepts numbers one per line without a header, and keeps line numbers across empty lines', async () => {
  const table = await readPeopleText('+1 202 555 0147\n\n\n12025550148\n')
  expect(names(table)).toEqual([''])
  expect(table.rows.map(({ line, cells }) => [line, cells[0]])).toEqual([
    [1, '+1 202 555 0147'],
    [4, '12025550148'],
  ])
  expect(findPhoneColumn(table)).toBe(0)
})

test('quotes may contain delimiters and line breaks', async () => {
  const { rows } = await readPeopleText('phone,note\n12025550147,"a, ""b""\nc"\n')
  expect(rows[0]?.cells).toEqual(['12025550147', 'a, "b"\nc'])
})

test('reads UTF-8 with and without BOM, UTF-16 and Windows-1252', () => {
  const utf16 = Uint8Array.of(0xff, 0xfe, ...Array.from('João').flatMap((each) => [each.charCodeAt(0), 0]))
  const encoded = [
    new TextEncoder().encode('João'),
    Uint8Array.of(0xef, 0xbb, 0xbf, ...new TextEncoder().encode('João')),
    utf16,
    Uint8Array.of(0x4a, 0x6f, 0xe3, 0x6f),
  ]
  expect(encoded.map(decodeText)).toEqual(['João', 'João', 'João', 'João'])
})

test('writes a spreadsheet number in full', () => {
  expect(cellText(5511988887777)).toBe('5511988887777')
  expect(cellText(12.5)).toBe('12.5')
  expect(cellText(new Date('2026-03-01T00:00:00Z'))).toBe('2026-03-01')
  expect(cellText(null)).toBe('')
})

test('reads a spreadsheet like a text list', async () => {
  const { default: writeSheet } = await import('write-excel-file/universal')
  const blob = await writeSheet([
    ['Nome', 'WhatsApp'].map((value) => ({ value })),
    [{ value: 'Ana' }, { value: 5511988887777 }],
  ]).toBlob()
  const table = await readPeopleFile(new File([blob], 'people.XLSX'))
  expect(names(table)).toEqual(['Nome', 'WhatsApp'])
  expect(table.rows).toEqual([{ line: 2, cells: ['Ana', '5511988887777'] }])
})

test('recognizes phone numbers', () => {
  expect(['+55 (11) 98888-7777', '12025550147', '0049 30/1234567'].every(looksLikePhone)).toBe(true)
  expect(['2026', 'Ana', '04538-133 SP', ''].some(looksLikePhone)).toBe(false)
})

test('reads 100,000 lines in under three seconds', async () => {
  const lines = Array.from({ length: 100_000 }, (_, n) => `${12025550000 + n};Person ${n};São Paulo;gold`)
  const read = async () =>
    expect((await readPeopleText(['phone;name;city;tier', ...lines].join('\n'))).rows).toHaveLength(100_000)
  expect(await cpuTime(read)).toBeLessThan(3_000)
})
