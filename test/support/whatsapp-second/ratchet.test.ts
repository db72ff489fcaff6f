import { expect, test } from 'vitest'
import * as curve from 'libsignal/src/curve.js'
import { isSignedBy, newKeyPair, signWith, typed } from './bytes.ts'
import { createCorrespondent, pad, unpad } from './ratchet.ts'

const words = (text: string) => Buffer.from(text)

/** Two correspondents who have exchanged keys. */
function pair() {
  const [ana, ben] = [createCorrespondent(), createCorrespondent()]
  ana.begin('ben', ben.bundle())
  return { ana, ben }
}

test('messages are read in any order, once, also from before the keys turned', () => {
  const { ana, ben } = pair()
  const [one, two] = [ana.seal('ben', words('one')), ana.seal('ben', words('two'))]
  expect(ben.open('ana', two).toString()).toBe('two')
  expect(ben.open('ana', one).toString()).toBe('one')
  expect(() => ben.open('ana', one)).toThrow('read before')
  const late = ben.seal('ana', words('late'))
  expect(ana.open('ben', ben.seal('ana', words('answer'))).toString()).toBe('answer')
  const turned = ana.seal('ben', words('turned'))
  expect([turned.type, ben.open('ana', turned).toString()]).toEqual(['msg', 'turned'])
  expect(ana.open('ben', ben.seal('ana', words('again'))).toString()).toBe('again')
  expect(ana.open('ben', late).toString()).toBe('late')
})

test('a changed byte, a used key and a forged bundle are refused', () => {
  const { ana, ben } = pair()
  const first = ana.seal('ben', words('one'))
  ben.open('ana', first)
  const second = ana.seal('ben', words('two'))
  second.bytes.writeUInt8(second.bytes.readUInt8(second.bytes.length - 12) ^ 1, second.bytes.length - 12)
  expect(() => ben.open('ana', second)).toThrow()
  const used = createCorrespondent()
  expect(() => used.open('ana', first)).toThrow()
  const bundle = ben.bundle()
  const forged = { ...bundle, signedPreKey: { ...bundle.signedPreKey, signature: Buffer.alloc(64, 1) } }
  expect(() => ana.begin('carl', forged)).toThrow('not signed')
})

test('group messages are read by those who have the key, in any order', () => {
  const { ana, ben } = pair()
  ben.senderKeys.accept('g', 'ana', ana.senderKeys.distribution('g'))
  const [one, two] = [words('one'), words('two')].map((text) => ana.senderKeys.seal('g', text))
  expect(ben.senderKeys.open('g', 'ana', two!).toString()).toBe('two')
  expect(ben.senderKeys.open('g', 'ana', one!).toString()).toBe('one')
  expect(() => ben.senderKeys.open('h', 'ana', one!)).toThrow('no key')
})

test('signatures of the library are checked without it, and padding says its own length', () => {
  for (let round = 0; round < 3; round++) {
    const keys = newKeyPair()
    const message = Buffer.from(`message ${round}`)
    const signature = signWith(keys.private, message)
    expect(isSignedBy(keys.public, message, signature)).toBe(true)
    expect(curve.verifySignature(typed(keys.public), message, signature)).toBe(true)
    signature.writeUInt8(signature.readUInt8(5) ^ 1, 5)
    expect(isSignedBy(keys.public, message, signature)).toBe(false)
    expect(unpad(pad(message))).toEqual(message)
  }
  expect(() => unpad(words('abc'))).toThrow('bad padding')
})
