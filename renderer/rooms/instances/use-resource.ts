import { useIntervalFn } from '@vueuse/core'
import { onScopeDispose, shallowRef, type Ref } from 'vue'
import { useLive, type Notice } from '../../app/live.ts'
import { asProblem, type Problem } from '../../app/problem.ts'

export interface Resource<T> {
  readonly data: Ref<T | undefined>
  readonly problem: Ref<Problem | undefined>
  readonly load: () => Promise<void>
}

/** A burst of notices causes one request. */
const GATHER_MS = 200

/**
 * The answer to one request, loaded again whenever a notice concerns it.
 * @param everyMs also reloads at this interval while the window is visible, for figures that change without a notice.
 */
export function useResource<T>(
  read: () => Promise<T>,
  concerns: (notice: Notice) => boolean,
  everyMs?: number,
): Resource<T> {
  const data = shallowRef<T>()
  const problem = shallowRef<Problem>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let turn = 0

  const live = useLive()
  const unsubscribe = live.onNotice(
    [
      'instances',
      'events',
      'messages',
      'fusion',
      'webhooks',
      'access-links',
      'ai',
      'crm',
      'billing',
      'blocked',
      'groups',
    ],
    (notice) => {
      if (!concerns(notice)) return
      timer ??= setTimeout(() => {
        timer = undefined
        void load()
      }, GATHER_MS)
    },
  )
  const unsubscribeReset = live.onReset(() => void load())
  onScopeDispose(() => {
    unsubscribe()
    unsubscribeReset()
    clearTimeout(timer)
    turn = Infinity
  })

  if (everyMs !== undefined) useIntervalFn(() => document.visibilityState === 'visible' && void load(), everyMs)

  /** Loads the data. An answer is ignored if a later request was made meanwhile. */
  async function load(): Promise<void> {
    const mine = ++turn
    try {
      const answer = await read()
      if (mine !== turn) return
      data.value = answer
      problem.value = undefined
    } catch (error) {
      if (mine === turn) problem.value = asProblem(error)
    }
  }

  void load()
  return { data, problem, load }
}
