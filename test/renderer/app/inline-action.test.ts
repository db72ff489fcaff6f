import { expect, test } from 'vitest'
import { useInlineAction } from '../../../renderer/app/inline-action.ts'

test('an action is busy while it runs, keeps its problem until the next attempt, and returns success', async () => {
  const { isBusy, problem, run } = useInlineAction()
  const gate = Promise.withResolvers<undefined>()
  const running = run(() => gate.promise)
  expect(isBusy.value).toBe(true)
  gate.reject(new Error('No.'))
  expect(await running).toBe(false)
  expect(isBusy.value).toBe(false)
  expect(problem.value).toMatchObject({ code: expect.any(String) })

  expect(await run(async () => {})).toBe(true)
  expect(problem.value).toBeUndefined()
})
