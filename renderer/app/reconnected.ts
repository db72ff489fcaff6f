import { useLive } from './live.ts'
import type { Refusal } from './problem-text.ts'

/** @returns whether the service, which did not answer then, can be reached again. Reactive. */
export function useReconnected(): (refusal: Refusal) => boolean {
  const live = useLive()
  return ({ code, atMs = Infinity }) => code === 'unreachable' && live.isOpen && live.lastContactMs > atMs
}
