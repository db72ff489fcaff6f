import { expect, it } from 'vitest'
import { createUntilStopped } from '../../main/faces/until-stopped.ts'

it('passes a result and an error on unchanged', async () => {
  const { wait } = createUntilStopped()
  const error = new Error('refused')

  await expect(wait(Promise.resolve('sent'))).resolves.toBe('sent')
  await expect(wait(Promise.reject(error))).rejects.toBe(error)
})

it('answers every waiting call with upstream_timeout when the service stops', async () => {
  const { wait, answerWaiting } = createUntilStopped()
  const answered = await wait(Promise.resolve('sent'))
  const waiting = [wait(new Promise<string>(() => {})), wait(new Promise<string>(() => {}))]

  answerWaiting()

  const codes = await Promise.allSettled(waiting)
  expect(answered).toBe('sent')
  expect(codes.map((each) => each.status === 'rejected' && (each.reason as { code: string }).code)).toEqual([
    'upstream_timeout',
    'upstream_timeout',
  ])
})

it('ignores an error that arrives after the call was answered', async () => {
  const { wait, answerWaiting } = createUntilStopped()
  const { promise, reject } = Promise.withResolvers<string>()
  const call = wait(promise)

  answerWaiting()
  reject(new Error('too late'))

  await expect(call).rejects.toMatchObject({ code: 'upstream_timeout' })
})
