import { expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/instance.ts'
import { createFiles } from '../../../main/engines/smv2/files.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { fakeClock } from '../../support/clock.ts'

const INSTANCE = { id: 'one', accountId: 'all', engine: 'smv2', network: 'live' } as unknown as EngineInstance

test('four files are fetched at once and no more, whoever comes in between', async () => {
  const fetching: { end(): void; readonly ended: Promise<null> }[] = []
  let now = 0
  let most = 0
  const files = createFiles({
    clock: fakeClock(),
    log: silentLog,
    store: undefined as never,
    transfer: {
      download() {
        most = Math.max(most, ++now)
        const { promise: ended, resolve } = Promise.withResolvers<null>()
        const end = () => {
          now--
          resolve(null)
        }
        fetching.push({ end, ended })
        return ended
      },
    } as never,
    linkOf: () => ({ open: () => undefined }) as never,
  })
  const fetch = () => files.fetch(INSTANCE, 'digest', { path: '/file' } as never, {} as never)
  const all = Array.from({ length: 5 }, fetch)
  expect(now).toBe(4)
  // Nobody has the slot of the first yet when the next one asks.
  void fetching[0]?.ended.then(() => all.push(fetch()))
  for (let i = 0; i < 6; i++) {
    fetching[i]?.end()
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(await Promise.all(all)).toEqual(Array.from({ length: 6 }, () => null))
  expect(most).toBe(4)
})
