import { expect, test } from 'vitest'
import { silentLog, type Log } from '../../main/kernel/log.ts'
import { closeInTime, createShutdown } from '../../main/service/shutdown.ts'
import { fakeClock } from '../support/clock.ts'

const never = () => new Promise<never>(() => {})
const fails = () => Promise.reject(new Error('It failed.'))
const works = () => Promise.resolve()

interface Course {
  readonly step: () => Promise<void>
  readonly storage: () => Promise<void>
  readonly ends: 'in_order' | 'cut_short' | 'not_saved'
}

const COURSES: Record<string, Course> = {
  'all of it works': { step: works, storage: works, ends: 'in_order' },
  'a step fails': { step: fails, storage: works, ends: 'in_order' },
  'a step does not end': { step: never, storage: works, ends: 'cut_short' },
  'the storage fails': { step: works, storage: fails, ends: 'not_saved' },
  'the storage does not close': { step: works, storage: never, ends: 'not_saved' },
  'nothing ends': { step: never, storage: never, ends: 'not_saved' },
}

test.each(Object.entries(COURSES))('ends the service when %s', async (_name, { step, storage, ends }) => {
  const clock = fakeClock()
  const done: string[] = []
  const logged: object[] = []
  const note = (fields: object) => void logged.push(fields)
  const log: Log = { ...silentLog, warn: note, error: note }
  const shutdown = createShutdown({
    log,
    home: { close: () => (done.push('storage'), storage()) },
    abandon: () => void done.push('abandon'),
    steps: { work: step, next: () => void done.push('next') },
  })
  let ended: unknown
  void closeInTime(shutdown, clock).then((how) => (ended = how))
  for (let passed = 0; passed < 9_100; passed += 100) await clock.advance(100)
  expect(ended).toBe(ends)
  // Once, whatever happened.
  expect(done.filter((one) => one === 'storage')).toHaveLength(1)
  expect(done.includes('next')).toBe(step !== never)
  expect(done.includes('abandon')).toBe(step === never)
  if (step === fails) expect(logged).toMatchObject([{ event: 'service.not_ended', step: 'work' }])
  if (step === never) expect(logged).toMatchObject([{ event: 'service.cut_short', step: 'work' }])
})
