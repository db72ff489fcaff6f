import { createHash } from 'node:crypto'
import { decodePatches, encodeSyncdPatch, newLTHashState, proto } from 'baileys'
import { describe, expect, test } from 'vitest'
import { EMPTY_LEDGER, openChanges, sealChanges } from './ledger.ts'
import { EMPTY_HASH, rehash } from './lt-hash.ts'
import { keysOf, sealSetting, type Setting, type SyncKey } from './setting.ts'
import { spoil, type Spoilt } from './spoilt.ts'

const { SET, REMOVE } = proto.SyncdMutation.SyncdOperation
const KEY: SyncKey = {
  id: Buffer.from([0, 0, 0, 0, 0, 1]),
  secret: Buffer.from(Array.from({ length: 32 }, (_, at) => at)),
}
const CHAT = '12025550101@s.whatsapp.net'
const MUTED: Setting = { index: ['mute', CHAT], value: { muteAction: { muted: true } }, version: 2 }
const HEARD: Setting = { ...MUTED, value: { muteAction: { muted: false } } }
const STARRED: Setting = { index: ['star', CHAT, '3A', '1', '0'], value: { starAction: { starred: true } }, version: 2 }

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const element = (byte: number) => Buffer.alloc(32, byte)

// These values were calculated by a third program that follows the protocol description, independent of this code and
// of the library.
describe('by hand', () => {
  test('the hash of two elements, and of one when the other has gone', () => {
    const both = rehash(EMPTY_HASH, [], [element(1), element(2)])
    expect(sha256(both)).toBe('418bc82e224c34ed4497209d5b3c63425c376d6086651b5ce79049f2ba3afae6')
    expect(sha256(rehash(both, [element(1)], []))).toBe(
      'b6ab69b21d1533e1d248e16a85d78dc44cf6178cd6d8271469772080ff5bdcd8',
    )
  })

  test('the keys that a shared key stands for, and the MAC of an index', () => {
    const { index, cipher, value, snapshot, patch } = keysOf(KEY)
    expect(sha256(Buffer.concat([index, cipher, value, snapshot, patch]))).toBe(
      '9113e703ae91dc6916018d3db02e77f307cdb18055d4b0ecbd396875f74e8cbb',
    )
    expect(sealSetting(KEY, SET, MUTED).indexMac.toString('hex')).toBe(
      'd64d8beb50bcf68b7d3de0b5e1c1532c0e5696ddb2756a87942357cf4c98ebae',
    )
  })
})

describe('beside the library', () => {
  const keyOf = async (id: string) =>
    Buffer.from(id, 'base64').equals(KEY.id)
      ? proto.Message.AppStateSyncKeyData.create({ keyData: KEY.secret })
      : undefined

  const read = (patches: readonly proto.ISyncdPatch[]) =>
    decodePatches(
      'regular_high',
      patches.map((patch, at) => ({ ...patch, version: { version: at + 1 } })),
      newLTHashState(),
      keyOf,
      {},
      undefined,
      undefined,
      true,
    )

  test('what is sealed here it reads, with every MAC verified, and comes to the same hash', async () => {
    const first = sealChanges('regular_high', EMPTY_LEDGER, KEY, [
      { operation: SET, setting: MUTED },
      { operation: SET, setting: STARRED },
    ])
    const second = sealChanges('regular_high', first.ledger, KEY, [
      { operation: SET, setting: HEARD },
      { operation: REMOVE, setting: STARRED },
    ])
    const { state, mutationMap } = await read([first.patch, second.patch])
    expect(state.version).toBe(2)
    expect(Buffer.from(state.hash)).toEqual(second.ledger.hash)
    expect(Object.keys(state.indexValueMap)).toEqual([...second.ledger.macs.keys()])
    expect(mutationMap[JSON.stringify(MUTED.index)]?.syncAction.value?.muteAction?.muted).toBe(false)
  })

  test('what it seals is read here, and comes to the same hash', async () => {
    const { patch, state } = await encodeSyncdPatch(
      {
        type: 'regular_high',
        ...{ index: [...MUTED.index] as [string, string], syncAction: MUTED.value, apiVersion: 2, operation: SET },
      },
      KEY.id.toString('base64'),
      newLTHashState(),
      keyOf,
    )
    const ledger = openChanges('regular_high', EMPTY_LEDGER, KEY, patch)
    expect(ledger.hash).toEqual(Buffer.from(state.hash))
    expect([...ledger.settings.values()]).toMatchObject([MUTED])
  })

  test.each<[Spoilt, string]>([
    ['value', 'the MAC of the change'],
    ['index', 'the MAC of an index'],
    ['collection', 'the MAC of the change'],
    ['change', 'the MAC of the change'],
  ])('one wrong bit in the MAC of the %s, and neither takes it', async (which, objection) => {
    const { patch } = sealChanges('regular_high', EMPTY_LEDGER, KEY, [{ operation: SET, setting: MUTED }])
    const other = spoil(patch, which)
    expect(() => openChanges('regular_high', EMPTY_LEDGER, KEY, other)).toThrow(objection)
    expect((await read([other])).mutationMap).toEqual({})
  })

  test('a change on top of another version, or meant for another collection, is not taken', () => {
    const first = sealChanges('regular_high', EMPTY_LEDGER, KEY, [{ operation: SET, setting: MUTED }])
    const second = sealChanges('regular_high', first.ledger, KEY, [{ operation: SET, setting: STARRED }])
    expect(() => openChanges('regular_high', EMPTY_LEDGER, KEY, second.patch)).toThrow('the MAC of the change')
    expect(() => openChanges('regular_low', first.ledger, KEY, second.patch)).toThrow('the MAC of the change')
  })
})
