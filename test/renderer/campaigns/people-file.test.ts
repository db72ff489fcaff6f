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
])('a list with %s is read with its header', async (_name, mark) => {
  const table = await readPeopleText(
    ['Name', 'Phone', 'City'].join(mark) + '\r\n' + ['Ana', '+55 11 98888-7777', 'São Paulo'].join(mark) + '\r\n',
  )
  expect(names(table)).toEqual(['Name', 'Phone', 'City'])
  expect(table.rows).toEqual([{ line: 2, cells: ['Ana', '+55 11 98888-7777', 'São Paulo'] }])
  expect(findPhoneColumn(table)).toBe(1)
})

test('numbers pasted one per line need no header, and empty lines keep the others at their place', async () => {
  const table = await readPeopleText('+1 202 555 0147\n\n\n12025550148\n')
  expect(names(table)).toEqual([''])
  expect(table.rows.map(({ line, cells }) => [line, cells[0]])).toEqual([
    [1, '+1 202 555 0147'],
    [4, '12025550148'],
  ])
  expect(findPhoneColumn(table)).toBe(0)
})

test('quotes hold delimiters and lines together', async () => {
  const { rows } = await readPeopleText('phone,note\n12025550147,"a, ""b""\nc"\n')
  expect(rows[0]?.cells).toEqual(['12025550147', 'a, "b"\nc'])
})

test('UTF-8 with and without its mark, UTF-16 and the older Windows encoding give the same text', () => {
  const utf16 = Uint8Array.of(0xff, 0xfe, ...Array.from('João').flatMap((each) => [each.charCodeAt(0), 0]))
  const encoded = [
    new TextEncoder().encode('João'),
    Uint8Array.of(0xef, 0xbb, 0xbf, ...new TextEncoder().encode('João')),
    utf16,
    Uint8Array.of(0x4a, 0x6f, 0xe3, 0x6f),
  ]
  expect(encoded.map(decodeText)).toEqual(['João', 'João', 'João', 'João'])
})

test('a number in a cell of a spreadsheet is written in full', () => {
  expect(cellText(5511988887777)).toBe('5511988887777')
  expect(cellText(12.5)).toBe('12.5')
  expect(cellText(new Date('2026-03-01T00:00:00Z'))).toBe('2026-03-01')
  expect(cellText(null)).toBe('')
})

test('a spreadsheet is read like a list of text', async () => {
  const { default: writeSheet } = await import('write-excel-file/universal')
  const blob = await writeSheet([
    ['Nome', 'WhatsApp'].map((value) => ({ value })),
    [{ value: 'Ana' }, { value: 5511988887777 }],
  ]).toBlob()
  const table = await readPeopleFile(new File([blob], 'people.XLSX'))
  expect(names(table)).toEqual(['Nome', 'WhatsApp'])
  expect(table.rows).toEqual([{ line: 2, cells: ['Ana', '5511988887777'] }])
})

test('what looks like a phone number', () => {
  expect(['+55 (11) 98888-7777', '12025550147', '0049 30/1234567'].every(looksLikePhone)).toBe(true)
  expect(['2026', 'Ana', '04538-133 SP', ''].some(looksLikePhone)).toBe(false)
})

test('a hundred thousand lines are read in under three seconds', async () => {
  const lines = Array.from({ length: 100_000 }, (_, n) => `${12025550000 + n};Person ${n};São Paulo;gold`)
  const read = async () =>
    expect((await readPeopleText(['phone;name;city;tier', ...lines].join('\n'))).rows).toHaveLength(100_000)
  expect(await cpuTime(read)).toBeLessThan(3_000)
})
