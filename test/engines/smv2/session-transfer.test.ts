import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useMultiFileAuthState } from 'baileys'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EngineInstance, SessionFiles } from '../../../main/engines/engine.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550300'
const CLIENT = '12025550101'

let world: LineWorld
let shop: EngineInstance
let folder: string

beforeEach(async () => {
  world = await lineWorld()
  shop = await world.connect(OURS)
  // A conversation makes sessions and device lists.
  await world.send(shop, { to: CLIENT })
  folder = await mkdtemp(join(tmpdir(), 'switchboard-session-'))
})
afterEach(async () => {
  await world.close()
  await rm(folder, { recursive: true })
})

const sessions = () => world.smv2.engine.sessions ?? expect.fail('the engine moves no sessions')

async function exported(): Promise<SessionFiles> {
  await world.smv2.engine.stop(shop)
  return (await sessions().export(shop)) ?? expect.fail('nothing was exported')
}

async function take(files: SessionFiles): Promise<EngineInstance> {
  const instance = world.instance()
  const { store } = await sessions().read(instance, files)
  await world.data.db.commit((tx) => store(tx))
  await world.smv2.engine.start(instance)
  return instance
}

describe('an exported session', () => {
  test('connects elsewhere without a scan as the same device, and can send in its conversations', async () => {
    const { logins } = world.whatsapp.phone(OURS).device
    const instance = await take(await exported())
    expect(await world.heard(instance, 'connected')).toMatchObject({ number: OURS })
    expect(world.whatsapp.phone(OURS).device.logins).toBe(logins + 1)
    expect((await world.send(instance, { to: CLIENT })).outcome).toMatchObject({ kind: 'accepted' })
  })

  test('has the same file layout as the library', async () => {
    const files = await exported()
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    const { state, saveCreds } = await useMultiFileAuthState(folder)
    expect(state.creds.me?.id).toContain(OURS)
    const kinds = ['pre-key', 'session', 'device-list', 'lid-mapping'] as const
    for (const kind of kinds) {
      const stored = world.keys(shop, kind)
      expect(Object.keys(stored)).not.toEqual([])
      const written = await state.keys.get(kind, Object.keys(stored))
      // As JSON, which holds bytes and says nothing of the order of the keys.
      expect(JSON.parse(JSON.stringify(written))).toEqual(JSON.parse(JSON.stringify(stored)))
    }
    // What the library writes is read back.
    await saveCreds()
    await state.keys.set({ 'sender-key': { 'a-1@g.us::12025550101::0': Buffer.from('key') } })
    const again = Object.fromEntries(
      readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
    )
    const instance = await take(again)
    expect(Object.keys(world.keys(instance, 'sender-key'))).toContain('a-1@g.us::12025550101::0')
    await world.heard(instance, 'connected')
  })
})

describe('an invalid session is refused', () => {
  const BAD: readonly (readonly [string, (files: Record<string, string>) => void, RegExp])[] = [
    ['a folder without creds.json', (files) => delete files['creds.json'], /no creds\.json/],
    [
      'creds.json cut short',
      (files) => (files['creds.json'] = files['creds.json']?.slice(0, 90) ?? ''),
      /not valid JSON/,
    ],
    ['a key cut short', (files) => (files['pre-key-1.json'] = '{"private":'), /pre-key-1\.json is not valid JSON/],
    ['a session that never was paired', (files) => change(files, (creds) => delete creds['account']), /never paired/],
    ['a number that is none', (files) => change(files, (creds) => (creds['me'] = { id: 'x@lid' })), /never paired/],
    ['no keys', (files) => change(files, (creds) => delete creds['noiseKey']), /do not belong together/],
    [
      'a key of another session',
      (files) => change(files, (creds) => (creds['signedIdentityKey'] = creds['noiseKey'])),
      /do not belong together/,
    ],
    ['creds.json that is null', (files) => (files['creds.json'] = 'null'), /never paired/],
  ]

  function change(files: Record<string, string>, act: (creds: Record<string, unknown>) => void): void {
    const creds = JSON.parse(files['creds.json'] ?? '') as Record<string, unknown>
    act(creds)
    files['creds.json'] = JSON.stringify(creds)
  }

  test.each(BAD)('%s', async (_name, spoil, sentence) => {
    const files = { ...(await exported()) }
    spoil(files)
    await expect(sessions().read(world.instance(), files)).rejects.toThrow(sentence)
  })
})
