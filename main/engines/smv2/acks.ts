import type { InstanceId } from '../../kernel/ids.ts'

/** The network's acknowledgement of our message, or the certainty that none will come. */
export type AckAnswer =
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly code: number }
  | { readonly kind: 'lost' }

export interface Acks {
  /** Call it before the message is sent. */
  expect(id: InstanceId, engineId: string): { readonly answer: Promise<AckAnswer>; forget(): void }
  /** @returns whether somebody waited for it. */
  settle(id: InstanceId, engineId: string, answer: AckAnswer): boolean
  /** The connection has ended: pending waits are rejected. */
  lose(id: InstanceId): void
}

/** Sends that wait for their acknowledgement. */
export function createAcks(): Acks {
  const waiting = new Map<InstanceId, Map<string, (answer: AckAnswer) => void>>()
  return {
    expect(id, engineId) {
      const { promise, resolve } = Promise.withResolvers<AckAnswer>()
      const mine = waiting.get(id) ?? new Map<string, (answer: AckAnswer) => void>()
      waiting.set(id, mine.set(engineId, resolve))
      return {
        answer: promise,
        forget() {
          mine.delete(engineId)
        },
      }
    },
    settle(id, engineId, answer) {
      const resolve = waiting.get(id)?.get(engineId)
      waiting.get(id)?.delete(engineId)
      resolve?.(answer)
      return resolve !== undefined
    },
    lose(id) {
      const mine = waiting.get(id)
      waiting.delete(id)
      for (const resolve of mine?.values() ?? []) resolve({ kind: 'lost' })
    },
  }
}
