import { expect, test } from 'vitest'
import { createSignalEnd, type Sealed, type SignalEnd } from '../../support/whatsapp/signal.ts'

const words = (text: string) => Buffer.from(text)
const read = async (end: SignalEnd, peer: string, sealed: Sealed) => (await end.open(peer, sealed)).toString()

test('late messages of an older session are decrypted, and the newer session still works in both directions', async () => {
  const ana = createSignalEnd('ana')
  const ben = createSignalEnd('ben')
  await ana.meet('ben:0', ben.bundle())
  expect(await read(ben, 'ana:0', await ana.seal('ben:0', words('one')))).toBe('one')
  expect(await read(ana, 'ben:0', await ben.seal('ana:0', words('two')))).toBe('two')
  const late = [await ana.seal('ben:0', words('late')), await ana.seal('ben:0', words('later'))]
  expect(late.map(({ type }) => type)).toEqual(['msg', 'msg'])

  await ben.meet('ana:0', ana.bundle())
  const first = await ben.seal('ana:0', words('anew'))
  for (const [i, text] of ['late', 'later'].entries()) expect(await read(ben, 'ana:0', late[i]!)).toBe(text)
  expect(await read(ana, 'ben:0', first)).toBe('anew')
  expect(await read(ana, 'ben:0', await ben.seal('ana:0', words('and on')))).toBe('and on')
  expect(await read(ben, 'ana:0', await ana.seal('ben:0', words('and back')))).toBe('and back')
})
