import { expect, test } from 'vitest'
import { boundSources } from '../../main/voice/gateways/ice-bounds.ts'

/** A packet of a source, which its header names. */
function packetOf(source: number, at: number): Buffer {
  const packet = Buffer.alloc(60, 1)
  packet.writeUInt32BE(source, at)
  return packet
}

test.each([
  ['srtp', 8],
  ['srtcp', 4],
] as const)('%s: accepts sound from a few sources only', (kind, at) => {
  const heard = new Set<number>()
  const decrypt = (packet: Buffer) => {
    const source = packet.readUInt32BE(at)
    if (source >= 1_000_000) throw new Error('It is from somebody else.')
    heard.add(source)
    return packet
  }
  const transport = { [kind]: { decrypt } }
  boundSources({ dtlsTransports: [transport] })
  const session = transport[kind] as { decrypt: typeof decrypt }
  for (let i = 0; i < 100; i++) expect(() => session.decrypt(packetOf(1_000_000 + i, at))).toThrow('somebody else')
  const first = packetOf(1, at)
  expect(session.decrypt(first)).toBe(first)
  for (let i = 2; i < 100_000; i++) session.decrypt(packetOf(i, at))
  expect(heard.size).toBe(16)
  expect(session.decrypt(packetOf(99_999, at))).toHaveLength(0)
  expect(session.decrypt(first)).toBe(first)
})
