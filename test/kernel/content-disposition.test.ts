import { expect, test } from 'vitest'
import { filenameOf } from '../../main/kernel/content-disposition.ts'

test.each([
  ['attachment; filename="a b.pdf"', 'a b.pdf'],
  ['attachment; filename=a.pdf', 'a.pdf'],
  ['inline;filename="a\\"b.pdf"', 'a"b.pdf'],
  [`attachment; filename="naive.txt"; filename*=UTF-8''na%C3%AFve.txt`, 'naïve.txt'],
  [`attachment; filename*=utf-8'en'%e2%82%ac%20rates.pdf; filename="euro.pdf"`, '€ rates.pdf'],
  [`attachment; filename*=iso-8859-1''na%EFve.txt`, 'naïve.txt'],
  [`attachment; filename*=UTF-8''%ZZ; filename="safe.txt"`, 'safe.txt'],
  [`attachment; filename="${Buffer.from('naïve.txt').toString('latin1')}"`, 'naïve.txt'],
  ['attachment; filename="na\xefve.txt"', 'naïve.txt'],
  ['form-data; name="x"; FILENAME="up.txt"', 'up.txt'],
  ['attachment', null],
  ['attachment; filename', null],
  ['', null],
  [undefined, null],
])('the filename in %j is %j', (header, name) => expect(filenameOf(header)).toBe(name))
