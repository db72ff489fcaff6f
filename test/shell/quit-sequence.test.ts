import { EventEmitter } from 'node:events'
import { describe, expect, test } from 'vitest'
import { createQuitSequence } from '../../main/shell/quit-sequence.ts'

/** An app that quits as Electron does: before-quit may be held back, else it ends. */
function scene(close: () => Promise<void>, mayQuit: () => true | Promise<boolean> = () => true) {
  const events = new EventEmitter()
  const seen: string[] = []
  const app = {
    on: (name: string, act: (...given: unknown[]) => void) => events.on(name, act),
    quit() {
      const event = { isHeld: false, preventDefault: () => void (event.isHeld = true) }
      events.emit('before-quit', event)
      seen.push(event.isHeld ? 'held' : 'ended')
    },
  }
  const leaving = createQuitSequence({
    app: app as never,
    release: () => void seen.push('released'),
    mayQuit,
    onStay: () => void seen.push('stays'),
    hideAll: () => void seen.push('vanished'),
    drain() {
      seen.push('drain')
      return close()
    },
  })
  return { app, leaving, seen }
}

const settle = () => new Promise((done) => setImmediate(done))

describe('quitting', () => {
  test('waits until the service has drained, then ends', async () => {
    const draining = Promise.withResolvers<undefined>()
    const { app, leaving, seen } = scene(() => draining.promise)
    app.quit()
    await settle()
    expect(leaving.isQuitting()).toBe(true)
    expect(seen).toEqual(['vanished', 'released', 'drain', 'held'])
    draining.resolve(undefined)
    await settle()
    expect(seen.slice(4)).toEqual(['released', 'ended'])
  })

  test('drains once and ends once, even if requested repeatedly', async () => {
    const draining = Promise.withResolvers<undefined>()
    const { app, seen } = scene(() => draining.promise)
    for (let i = 0; i < 3; i++) app.quit()
    await settle()
    app.quit()
    draining.resolve(undefined)
    await settle()
    expect(seen.filter((one) => one === 'drain')).toHaveLength(1)
    expect(seen.filter((one) => one === 'vanished')).toHaveLength(1)
    expect(seen.filter((one) => one === 'ended')).toHaveLength(1)
  })

  test('ends even if the service cannot close', async () => {
    const { app, seen } = scene(() => Promise.reject(new Error('disk')))
    app.quit()
    await settle()
    expect(seen.at(-1)).toBe('ended')
  })

  test('does not begin if the person keeps unsaved text, and asks again next time', async () => {
    const answers = [false, true]
    const { app, leaving, seen } = scene(
      () => Promise.resolve(),
      async () => answers.shift() ?? false,
    )
    app.quit()
    await settle()
    expect(seen).toEqual(['held', 'stays'])
    expect(leaving.isQuitting()).toBe(false)
    app.quit()
    await settle()
    expect(seen.slice(2)).toEqual(['held', 'vanished', 'released', 'drain', 'released', 'ended'])
  })

  test('asks once, and not at all if the system shuts down meanwhile', async () => {
    let asked = 0
    const answer = Promise.withResolvers<boolean>()
    const { app, leaving, seen } = scene(
      () => Promise.resolve(),
      () => (asked++, answer.promise),
    )
    app.quit()
    app.quit()
    leaving.allowQuit()
    app.quit()
    answer.resolve(false)
    await settle()
    expect(asked).toBe(1)
    expect(seen).toEqual(['held', 'held', 'released', 'drain', 'released', 'ended'])
  })

  test('is immediate after the service was closed for an update', async () => {
    const { app, leaving, seen } = scene(() => Promise.resolve())
    await leaving.finish()
    app.quit()
    expect(seen).toEqual(['released', 'drain', 'released', 'ended'])
  })

  test('does not delay a system shutdown, and still drains', async () => {
    const { app, leaving, seen } = scene(() => new Promise(() => {}))
    leaving.allowQuit()
    app.quit()
    expect(seen).toEqual(['released', 'drain', 'released', 'ended'])
  })
})
