import { expect, test } from 'vitest'
import { safeFilename } from '../../main/engines/safe-filename.ts'

test.each([
  ['invoice.pdf', 'invoice.pdf'],
  ['../../etc/passwd', 'passwd'],
  ['..\\..\\Windows\\evil.exe', 'evil.exe'],
  ['/etc/passwd', 'passwd'],
  ['.bashrc', 'bashrc'],
  ['..', null],
  ['folder/', null],
  ['', null],
  [null, null],
  ['a\r\nContent-Type: text/html', 'html'],
  ['photo\u202Egpj.exe', 'photogpj.exe'],
  ['  spaced name .txt ', 'spaced name .txt'],
  ['relatório ção.pdf', 'relatório ção.pdf'],
])('%j becomes %j', (given, expected) => {
  expect(safeFilename(given)).toBe(expected)
})

test('a very long name is cut and keeps its extension', () => {
  const name = safeFilename(`${'x'.repeat(400)}.docx`)
  expect(name).toHaveLength(255)
  expect(name?.endsWith('.docx')).toBe(true)
})
