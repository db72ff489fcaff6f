import { expect } from 'vitest'
import { settle, settleFiles } from '../../support/clock.ts'
import type { World } from '../../support/world.ts'

/** An instance of the sandbox that may call. */
export async function callingInstance(w: World): Promise<string> {
  const { id } = await w.pair()
  expect((await w.api('POST', `/v1/instances/${id}/voice/enable`)).status).toBe(200)
  return id
}

export const voiceOf = (id: string) => `/v1/instances/${id}/voice`

const MOST_STEPS = 2_000

/** Lets time pass until what is read satisfies the condition. */
export async function until<T>(
  w: World,
  read: () => Promise<T>,
  isDone: (value: T) => boolean,
  stepMs = 1_000,
): Promise<T> {
  for (let steps = 0; ; steps++) {
    const value = await read()
    if (isDone(value)) return value
    if (steps > MOST_STEPS) throw new Error(`It did not happen: ${JSON.stringify(value)}`)
    await w.clock.advance(stepMs)
    await settle(3)
    await settleFiles()
  }
}

const FINAL = ['completed', 'no_answer', 'busy', 'rejected', 'failed', 'canceled']

export const ended = (w: World, id: string, callId: string) =>
  until(
    w,
    async () => (await w.api('GET', `${voiceOf(id)}/calls/${callId}`)).body,
    (call) => FINAL.includes(call.status),
  )
