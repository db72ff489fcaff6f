import type { InstanceId } from '../../kernel/ids.ts'

/** What the network said of a message of ours, or that it will not say anything any more. */
export type AckAnswer =
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly code: number }
  | { readonly kind: 'lost' }

export interface Acks {
  /** Begin before anything is sent. */
  expect(id: InstanceId, engineId: string): { readonly answer: Promise<AckAnswer>; forget(): void }
  /** @returns whether somebody waited for it. */
  settle(id: InstanceId, engineId: string, answer: AckAnswer): boolean
  /** The link is gone: pending waits are rejected. */
  lose(id: InstanceId): void
}

/** Who waits for which answer. */
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
