import { afterEach, expect, test, vi } from 'vitest'
import type { LogFields } from '../../../main/kernel/log.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

// @isolated: the library logs only what it has not logged before in the same process.

const OURS = '12025550200'

let world: LineWorld | undefined
afterEach(() => world?.close())

test('neither the log nor the console contains keys, sessions or message texts', async () => {
  const told: string[] = []
  const note = (fields: LogFields) => void told.push(JSON.stringify(fields))
  world = await lineWorld({ log: { debug: note, info: note, warn: note, error: note } })
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => told.push(String(text)) > 0)
  const shop = await world.connect(OURS)
  const ana = world.whatsapp.phone('12025550101')
  await ana.say(OURS, 'my card is 4111')
  await world.heard(shop, 'received')
  await world.send(shop, { to: ana.number, text: 'thank you for it' })
  ana.loseSessions()
  await ana.say(OURS, 'a new session')
  await world.heard(shop, 'received', ({ text }) => text === 'a new session')
  world.whatsapp.phone(OURS).device.end('dropped')
  await world.heard(shop, 'link_lost')
  await world.heard(shop, 'connected')
  const all = told.join('\\n')
  expect(all).toContain('smv2.link_closed')
  // The library did speak: of objects only what they are was kept.
  expect(all).toContain('[SessionEntry]')
  for (const secret of [
    'privKey',
    'rootKey',
    'chainKey',
    'noiseKey',
    'advSecret',
    'my card',
    'thank you',
    OURS,
    '12025550101',
    ...world.whatsapp.phone(OURS).appState.keys.map(({ secret }) => secret.toString('base64')),
  ])
    expect(all, secret).not.toContain(secret)
})
