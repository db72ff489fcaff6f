import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DirectActs } from '../../../main/engines/direct.ts'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { until } from '../../support/service-process.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550250'
const ANA = '12025551501'
const ANA_JID = `${ANA}@s.whatsapp.net`

let world: LineWorld
let shop: EngineInstance

beforeAll(async () => {
  world = await lineWorld()
  world.whatsapp.phone(OURS, { name: 'Shop' })
  shop = await world.connect(OURS)
})
afterAll(() => world.close())

const act = <K extends keyof DirectActs>(name: K): DirectActs[K] => {
  const found = world.smv2.engine.direct?.[name]
  if (!found) throw new Error(`smv2 cannot ${name}`)
  return found
}
/** What the phone has under these words. */
const setting = (...index: readonly string[]) => {
  const { appState } = world.whatsapp.phone(OURS)
  const found = (['regular_low', 'regular_high', 'regular', 'critical_block', 'critical_unblock_low'] as const).flatMap(
    (name) => [...appState.ledger(name).settings.values()],
  )
  return found.find((one) => JSON.stringify(one.index) === JSON.stringify(index))?.value
}

test('a group gets a description, is restricted to admins and locked, and the next read shows it', async () => {
  const { id } = world.whatsapp.group('Garden', [OURS, ANA])
  const group = `${id}@g.us`
  await act('describeGroup')(shop, group, 'About plants')
  await act('setGroupRules')(shop, group, { isAnnounceOnly: true, isLocked: true })
  expect(await act('group')(shop, group)).toMatchObject({
    ...{ description: 'About plants', isAnnounceOnly: true, isLocked: true },
  })
  await act('describeGroup')(shop, group, 'About trees')
  await act('setGroupRules')(shop, group, { isLocked: false })
  expect(await act('group')(shop, group)).toMatchObject({
    description: 'About trees',
    isAnnounceOnly: true,
    isLocked: false,
  })
  await act('describeGroup')(shop, group, null)
  expect((await act('group')(shop, group)).description).toBeNull()
  const theirs = world.whatsapp.group('Theirs', [ANA])
  await expect(act('setGroupRules')(shop, `${theirs.id}@g.us`, { isLocked: true })).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('chats are archived, pinned, muted and marked, also on the phone', async () => {
  const last = { engineMessageId: 'ABC', chat: ANA, isOwn: false, participant: null, atMs: 1_790_000_000_000 }
  // The phone shares the keys of these settings some time after pairing.
  await until('the keys', () =>
    act('changeChat')(shop, ANA, { kind: 'pin', isSet: true }, null).then(
      () => true,
      () => undefined,
    ),
  )
  expect(setting('pin_v1', ANA_JID)?.pinAction?.pinned).toBe(true)
  await act('changeChat')(shop, ANA, { kind: 'archive', isSet: true }, last)
  const range = setting('archive', ANA_JID)?.archiveChatAction
  expect([range?.archived, range?.messageRange?.messages?.[0]?.key?.id]).toEqual([true, 'ABC'])
  await act('changeChat')(shop, ANA, { kind: 'mute', untilMs: 1_900_000_000_000 }, null)
  expect(Number(setting('mute', ANA_JID)?.muteAction?.muteEndTimestamp)).toBe(1_900_000_000_000)
  await act('changeChat')(shop, ANA, { kind: 'mute', untilMs: Infinity }, null)
  expect(setting('mute', ANA_JID)?.muteAction).toMatchObject({ muted: true })
  await act('changeChat')(shop, ANA, { kind: 'mute', untilMs: null }, null)
  expect(setting('mute', ANA_JID)?.muteAction?.muted).toBe(false)
  await act('changeChat')(shop, ANA, { kind: 'read', isSet: false }, last)
  expect(setting('markChatAsRead', ANA_JID)?.markChatAsReadAction?.read).toBe(false)
})

test('a message is starred, in a group with its author', async () => {
  const message = { engineMessageId: 'ABC', chat: ANA, isOwn: false, participant: null }
  await act('star')(shop, message, true)
  expect(setting('star', ANA_JID, 'ABC', '0', '0')?.starAction?.starred).toBe(true)
  await act('star')(shop, message, false)
  expect(setting('star', ANA_JID, 'ABC', '0', '0')?.starAction?.starred).toBe(false)
  const { id } = world.whatsapp.group('Starred', [OURS, ANA], 'pn')
  await act('star')(shop, { ...message, chat: `${id}@g.us`, participant: ANA }, true)
  expect(setting('star', `${id}@g.us`, 'ABC', '0', ANA_JID)?.starAction?.starred).toBe(true)
})

test('labels are created, changed, attached and removed, and unknown labels are not found', async () => {
  const paid = await act('saveLabel')(shop, { id: null, name: 'Paid', color: 3 })
  const late = await act('saveLabel')(shop, { id: null, name: 'Late', color: 0 })
  expect(paid.id).not.toBe(late.id)
  await act('saveLabel')(shop, { ...late, name: 'Very late' })
  expect(await act('labels')(shop)).toEqual([paid, { ...late, name: 'Very late' }])
  await act('labelChat')(shop, ANA, paid.id, true)
  expect(setting('label_jid', paid.id, ANA_JID)?.labelAssociationAction?.labeled).toBe(true)
  await act('labelChat')(shop, ANA, paid.id, false)
  expect(setting('label_jid', paid.id, ANA_JID)?.labelAssociationAction?.labeled).toBe(false)
  const message = { engineMessageId: 'ABC', chat: ANA, isOwn: false, participant: null }
  await act('labelMessage')(shop, message, paid.id, true)
  await act('removeLabel')(shop, paid.id)
  expect((await act('labels')(shop)).map(({ name }) => name)).toEqual(['Very late'])
  await expect(act('labelChat')(shop, ANA, paid.id, true)).rejects.toMatchObject({ code: 'not_found' })
  await expect(act('saveLabel')(shop, { id: '99', name: 'x', color: 0 })).rejects.toMatchObject({ code: 'not_found' })
})
