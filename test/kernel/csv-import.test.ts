import { expect, test } from 'vitest'
import { importCsv } from '../../main/kernel/csv-import.ts'
import type { TemporaryFile } from '../../main/kernel/files.ts'

/** A file of parts of this text, which counts how often it is opened and closed. */
function fileOf(texts: readonly string[]) {
  const seen = { opened: 0, closed: 0, isRemoved: false }
  const file = {
    size: texts.join('').length,
    async *parts() {
      seen.opened++
      try {
        for (const text of texts) yield Buffer.from(text)
      } finally {
        seen.closed++
      }
    },
    remove: async () => void (seen.isRemoved = true),
  }
  return { seen, files: { storeTemporarily: async () => file as unknown as TemporaryFile } }
}

const COLUMNS = [{ field: 'phone', names: ['phone'], isRequired: true }] as const
const NONE = { source: (async function* () {})(), batch: 2, read: () => 1, save: async () => {} }
const MANY = Array.from({ length: 40 }, (_, at) => `${12_025_550_100 + at}\n`.repeat(200))

test.each<[string, readonly string[]]>([
  ['that lacks a column', ['name\n', ...MANY]],
  ['that is empty', ['']],
  ['whose header never ends', ['"phone', ...MANY, ...MANY]],
  ['with a row that never ends', ['phone\n', ...MANY, '"', ...MANY, ...MANY]],
  ['with too many columns', ['phone\n', ...MANY, ','.repeat(20_000), '\n', ...MANY]],
])('a file %s is refused, closed and removed', async (_, texts) => {
  const { seen, files } = fileOf(texts)
  await expect(importCsv(files, { ...NONE, columns: COLUMNS })).rejects.toMatchObject({ code: 'validation_error' })
  expect(seen).toEqual({ opened: 1, closed: 1, isRemoved: true })
})

test('a file whose rows cannot be stored is closed and removed', async () => {
  const { seen, files } = fileOf(['phone\n', ...MANY])
  const save = () => Promise.reject(new Error('the disk is full'))
  await expect(importCsv(files, { ...NONE, columns: COLUMNS, save })).rejects.toThrow('the disk is full')
  expect(seen).toEqual({ opened: 2, closed: 2, isRemoved: true })
})

test('a file that is imported is closed and removed', async () => {
  const { seen, files } = fileOf(['phone\n', ...MANY])
  const { rows } = await importCsv(files, { ...NONE, columns: COLUMNS })
  expect([rows, seen]).toEqual([8_000, { opened: 2, closed: 2, isRemoved: true }])
})
