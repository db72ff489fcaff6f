import { expect, test } from 'vitest'
import { bytesField } from '../../../main/engines/smv2/wire-field.ts'
import { field } from '../../support/whatsapp/wire-field.ts'

const ABC = Buffer.from('abc')

test('a bytes field is found among other fields, the last one if there are several', () => {
  const varint = Buffer.from([1 << 3, 0x96, 0x01])
  const eight = Buffer.from([(2 << 3) | 1, ...Buffer.alloc(8)])
  const four = Buffer.from([(3 << 3) | 5, ...Buffer.alloc(4)])
  const long = Buffer.alloc(300, 7)
  const message = Buffer.concat([varint, field(19, ABC), eight, four, field(80, long), field(19, long)])
  expect(bytesField(message, 80)).toEqual(long)
  expect(bytesField(message, 19)).toEqual(long)
  expect(bytesField(message, 4)).toBeUndefined()
  expect(bytesField(message, 1)).toBeUndefined()
})

test.each([
  ['cut in its content', field(19, ABC).subarray(0, -1)],
  ['cut in its length', field(19, Buffer.alloc(200)).subarray(0, 3)],
  ['longer than any message', Buffer.from([0x9a, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f])],
  ['without an end to its tag', Buffer.alloc(64, 0xff)],
  ['of a kind that there is not', Buffer.concat([Buffer.from([(1 << 3) | 7]), field(19, ABC)])],
])('no bytes field is found in a message that is %s', (_, message) => {
  expect(bytesField(message, 19)).toBeUndefined()
})
