import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { settle } from '../support/clock.ts'
import { ANA, OURS, SCENES, type Scene } from './scenes.ts'

describe.each(Object.entries(SCENES))('%s', (_name, make) => {
  let scene: Scene
  beforeEach(async () => {
    scene = await make()
  })
  afterEach(() => scene.close())

  test('cannot send before it is connected', async () => {
    expect((await scene.send(scene.instance(), ANA)).outcome).toMatchObject({ kind: 'not_ready' })
  })

  test('supports only its own way to connect', async () => {
    const instance = scene.instance()
    await scene.engine.start(instance)
    expect([scene.engine.pairing === undefined, scene.engine.onboarding === undefined].toSorted()).toEqual([
      false,
      true,
    ])
    if (scene.engine.onboarding) {
      const token = await scene.engine.onboarding.token(instance)
      expect(token).toMatch(/^[\w-]{16,}$/)
      expect(await scene.engine.onboarding.token(instance)).toBe(token)
    }
    expect(await scene.engine.resume(instance)).toBe('no_session')
  })

  test('starts twice without harm, and says nothing of a connection that is not there', async () => {
    const instance = scene.instance()
    await Promise.all([scene.engine.start(instance), scene.engine.start(instance)])
    await settle()
    expect(scene.told(instance).filter(({ kind }) => kind === 'connected')).toEqual([])
  })

  test('reports each status of a message once and in order', async () => {
    const instance = await scene.connect(OURS)
    const { messageId, outcome } = await scene.send(instance, ANA)
    expect(outcome).toMatchObject({ kind: 'accepted', engineMessageId: expect.any(String) })
    await scene.until('read', () => scene.statuses(instance, messageId).includes('read'))
    expect(scene.statuses(instance, messageId)).toEqual(['sent', 'delivered', 'read'])
  })

  test('ends each send with the correct outcome', async () => {
    const instance = await scene.connect(OURS)
    expect((await scene.send(instance, '12025550404')).outcome).toMatchObject({ kind: 'refused' })
    expect((await scene.send(instance, '12025550502')).outcome).toMatchObject({ kind: 'nothing_sent' })
    expect((await scene.send(instance, '12025550504')).outcome).toMatchObject({ kind: 'unknown' })
  })

  test('reports what people say, and who said it', async () => {
    const instance = await scene.connect(OURS)
    await scene.say('Hello there')
    await scene.until('heard', () => scene.told(instance).some(({ kind }) => kind === 'received'))
    expect(scene.told(instance).find(({ kind }) => kind === 'received')).toMatchObject({
      ...{ text: 'Hello there', chat: ANA, from: ANA, fromMe: false, isGroup: false, type: 'text', media: null },
      engineMessageId: expect.any(String),
    })
  })

  test('has evidence without network requests, also for an unknown instance', async () => {
    const instance = await scene.connect(OURS)
    expect(scene.engine.evidence(instance)).toMatchObject({ reachable: true, restriction: null })
    expect(() => scene.engine.evidence(scene.instance())).not.toThrow()
  })

  test('resumes its session after a restart, and stops on request', async () => {
    const instance = await scene.connect(OURS)
    const engine = await scene.restart()
    expect(await engine.resume(instance)).toBe('connected')
    await engine.stop(instance)
    expect((await scene.send(instance, ANA)).outcome).toMatchObject({ kind: 'not_ready' })
    await engine.start(instance)
    await scene.until('connected again', () => scene.told(instance).some(({ kind }) => kind === 'connected'))
    expect((await scene.send(instance, ANA)).outcome).toMatchObject({ kind: 'accepted' })
  })

  test('keeps nothing of a session after logout and wipe, which can be repeated', async () => {
    const instance = await scene.connect(OURS)
    await scene.engine.logout(instance)
    await scene.engine.logout(instance)
    expect(await scene.engine.resume(instance)).toBe('no_session')
    await scene.engine.wipe(instance)
    await scene.engine.wipe(instance)
    expect((await scene.send(instance, ANA)).outcome).toMatchObject({ kind: 'not_ready' })
    expect(await scene.engine.resume(instance)).toBe('no_session')
  })

  test('leaves no timer behind', async () => {
    await scene.connect(OURS)
    await scene.engine.close()
    expect(scene.timersLeft()).toBe(0)
  })
})
