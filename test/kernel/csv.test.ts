import { describe, expect, test } from 'vitest'
import { CSV_BOM, csvLine, phoneCell, readCsv, type CsvRow } from '../../main/kernel/csv.ts'
import { cpuTime } from '../support/cpu-time.ts'

/** In chunks of a few bytes, so that every boundary is tried. */
async function* inChunks(bytes: Buffer, size = 5): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(content: string | Buffer, size?: number) {
  const { header, delimiter, portions } = await readCsv(inChunks(Buffer.from(content), size))
  const found: CsvRow[] = []
  for await (const rows of portions) found.push(...rows)
  return { header, delimiter, rows: found, cells: found.map(({ cells }) => cells) }
}

describe('a CSV file', () => {
  test.each([
    [',', 'phone,name\n12025550101,Ana\n'],
    [';', 'phone;name\r\n12025550101;Ana\r\n'],
    ['\t', 'phone\tname\n12025550101\tAna'],
    [';', 'sep=;\nphone;name\n12025550101;Ana'],
    [';', '"phone, with code";name\n12025550101;Ana'],
    [',', '\n\nphone,name\n12025550101,Ana'],
    [',', 'phone,name\r12025550101,Ana\r'],
  ])('is recognized as separated by %j in %j', async (delimiter, content) => {
    const { delimiter: found, cells } = await read(content)
    expect([found, cells]).toEqual([delimiter, [['12025550101', 'Ana']]])
  })

  test.each([
    ['UTF-8', Buffer.from('name\nJoão Ünal 😀\n')],
    ['UTF-8 with a byte order mark', Buffer.from('\uFEFFname\nJoão Ünal 😀\n')],
    ['UTF-16 of a spreadsheet', Buffer.from('\uFEFFname\nJoão Ünal 😀\n', 'utf16le')],
  ])('is read in %s', async (_name, bytes) => {
    for (const size of [1, 3, 1_000])
      expect(await read(bytes, size)).toMatchObject({ header: ['name'], cells: [['João Ünal 😀']] })
  })

  test('is read in Windows-1252 if it is not valid UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('name\nJo'), Buffer.from([0xe3]), Buffer.from('o '), Buffer.from([0x80])])
    for (const size of [1, 3, 1_000]) expect((await read(bytes, size)).cells).toEqual([['João €']])
  })

  test('keeps quotes, delimiters and line breaks inside quoted cells, and counts lines as an editor does', async () => {
    const { rows } = await read('phone,note\n1,"a ""b"", c"\n\n2,"two\nlines"\n , \n3,5" pipe\n')
    expect(rows).toEqual([
      { line: 2, cells: ['1', 'a "b", c'] },
      { line: 4, cells: ['2', 'two\nlines'] },
      { line: 7, cells: ['3', '5" pipe'] },
    ])
  })

  test.each(['', '\n \n', '\uFEFF'])('that is empty is refused: %j', async (content) => {
    await expect(read(content)).rejects.toMatchObject({ code: 'validation_error' })
  })

  test('is refused with the line number when a quotation mark is never closed', async () => {
    const content = `phone\n1\n"2\n${'3\n'.repeat(300_000)}`
    await expect(read(content, 65_536)).rejects.toMatchObject({
      ...{ code: 'validation_error', message: expect.stringContaining('line 3') },
    })
  })

  test('gives the same rows wherever it is split into chunks', async () => {
    const rows = '1,"a ""b"", c"\r\n2,"two\r\nlines"  ,x\r3,"odd" quote"\n4,\n'
    for (let cutAt = 0; cutAt < rows.length; cutAt++) {
      const header = `phone,${'n'.repeat(16 * 1024 - 7 - cutAt)}\n`
      const { cells } = await read(header + rows, 65_536)
      expect(cells).toEqual([
        ['1', 'a "b", c'],
        ['2', 'two\nlines', 'x'],
        ['3', 'odd" quote'],
        ['4', ''],
      ])
    }
  })

  test('is refused with more columns than a spreadsheet can have', async () => {
    await expect(read(`phone${','.repeat(16_384)}\n1\n`, 65_536)).rejects.toMatchObject({
      ...{ code: 'validation_error', message: expect.stringContaining('16,384 columns') },
    })
  })

  test.each([
    ['a long first line', 'x'.repeat(250_000)],
    ['many spaces before it', ' '.repeat(250_000) + 'phone\n1'],
    ['blank lines only', '\n'.repeat(250_000)],
    ['quotation marks only', '"'.repeat(250_001)],
    ['quotation marks that close nothing', '"' + '" x'.repeat(80_000) + ' '.repeat(20_000) + ',\n1'],
    ['spaces after quotation marks', '"x'.repeat(50_000) + ' '.repeat(100_000) + ',\n'],
    ['columns without names', ','.repeat(250_000)],
  ])('is read quickly with %s', async (_name, content) => {
    for (const size of [100, 65_536]) {
      expect(await cpuTime(() => read(content, size).catch(() => undefined))).toBeLessThan(1_000)
    }
  })

  test.each(['phone\n1', 'phone\n' + '1\n'.repeat(20_000)])('passes on an error of its source', async (content) => {
    const source = (async function* () {
      yield Buffer.from(content)
      throw new Error('cut off')
    })()
    const readAll = async () => {
      for await (const rows of (await readCsv(source)).portions) expect(rows.length).toBeGreaterThan(0)
    }
    await expect(readAll()).rejects.toThrow('cut off')
  })

  test('of 100,000 rows is read in under 5 seconds', async () => {
    const content = Buffer.from(
      'phone;name;city\n' +
        Array.from({ length: 100_000 }, (_, i) => `5511${900_000_000 + i};"Ana, ${i}";Olá\n`).join(''),
    )
    let rows: readonly CsvRow[] = []
    const ms = await cpuTime(async () => ({ rows } = await read(content, 65_536)))
    expect(rows).toHaveLength(100_000)
    expect(rows.at(-1)).toEqual({ line: 100_001, cells: ['5511900099999', 'Ana, 99999', 'Olá'] })
    expect(ms).toBeLessThan(5_000)
  })
})

describe('a row of an exported CSV file', () => {
  test.each(['=1+1', '+5511', '-2', '@SUM(A1)', '\tx', '\rx'])('does not start a formula with %j', async (cell) => {
    const line = csvLine([cell, 'b'])
    expect(line).toMatch(/^"?'/)
    expect((await read(`a,b\r\n${line}`)).cells).toEqual([[cell.replace('\r', '\n'), 'b']])
  })

  test('is parsed back to the values that were written', async () => {
    const cells = ['João, "Jota"', 'a;b', ' spaced ', 'two\nlines', '']
    expect((await read(CSV_BOM + csvLine(['a', 'b', 'c', 'd', 'e']) + csvLine(cells))).cells).toEqual([cells])
    expect(csvLine([-5, null, 'x'])).toBe('-5,,x\r\n')
  })
})

test.each([
  ['12025550123', '12025550123'],
  [' +55 11 98765-4321 ', '+55 11 98765-4321'],
  ['5.511991234567E+12', '5511991234567'],
  ['5,511991234567e12', '5511991234567'],
  ['5511991234567.0', '5511991234567'],
  ['5.51199E+12', undefined],
  ['5E+12', undefined],
])('a phone cell %j is read as the number %j', (cell, number) => {
  expect(phoneCell(cell)).toBe(number)
})
