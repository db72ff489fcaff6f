import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createOpenBodies } from '../../main/faces/open-bodies.ts'
import type { Principal } from '../../main/kernel/access.ts'
import type { KeyId } from '../../main/kernel/ids.ts'

const ofKey = (id: string) => ({ key: { id: id as KeyId } as Principal['key'] })
const download = () => new PassThrough().on('error', () => {})

test('a download is aborted when its key or session ends, and other downloads are not', () => {
  const open = createOpenBodies()
  const [a, b, session, desktop, done] = [download(), download(), download(), download(), download()]
  open.add(ofKey('a'), a)
  open.add(ofKey('b'), b)
  open.add({ key: null, sessionId: 's' }, session)
  open.add({ key: null }, desktop)
  open.add(ofKey('a'), done)
  done.destroy()
  open.endOf('a')
  open.endOf('s')
  open.endOf('unknown')
  expect([a, b, session, desktop].map(({ destroyed }) => destroyed)).toEqual([true, false, true, false])
  expect(a.errored).toBeInstanceOf(Error)
})

test('a body reader is told that its key or session has ended, and other readers are not', async () => {
  const open = createOpenBodies()
  const signals: AbortSignal[] = []
  const release = Promise.withResolvers<undefined>()
  const work = async (ended: AbortSignal) => {
    signals.push(ended)
    await release.promise
  }
  const callers = [ofKey('a'), ofKey('a'), ofKey('b'), { key: null, sessionId: 's' }, { key: null }]
  const done = callers.map((caller) => open.during(caller, work))
  open.endOf('a')
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, false, false, false])
  expect(signals[0]?.reason).toMatchObject({ code: 'unauthorized' })
  release.resolve(undefined)
  await Promise.all(done)
  open.endOf('s')
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, false, false, false])
})
