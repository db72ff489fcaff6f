import { afterEach, expect, test } from 'vitest'
import { pause } from '../../support/service-process.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

let world: LineWorld | undefined
afterEach(() => world?.close())

test('a number with a locked keychain checks it again within seconds, without a connection failure', async () => {
  const logged: string[] = []
  const note = ({ event }: { event: string }) => void logged.push(event)
  world = await lineWorld({ log: { debug: note, info: note, warn: note, error: note } })
  const shop = await world.connect('12025550200')
  const { key } = world.vault
  await world.restart()
  world.forget()
  world.vault.key = null
  await world.smv2.engine.resume(shop)
  await pause(500)
  expect(world.told(shop)).toEqual([])
  world.vault.key = key
  await world.heard(shop, 'connected')
  expect(logged).not.toContain('smv2.not_connected')
})
