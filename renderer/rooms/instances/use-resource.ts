import { onScopeDispose, shallowRef, type Ref } from 'vue'
import { api } from '../../app/api.ts'
import { useLive, type Notice } from '../../app/live.ts'
import { asProblem, type Problem } from '../../app/problem.ts'

export interface Resource<T> {
  readonly data: Ref<T | undefined>
  readonly problem: Ref<Problem | undefined>
  readonly load: () => Promise<void>
}

/** A burst of notices is one question. */
const GATHER_MS = 200

/** What the service answers to one GET, asked again whenever a notice concerns it. */
export function useResource<T>(path: string, concerns: (notice: Notice) => boolean): Resource<T> {
  const data = shallowRef<T>()
  const problem = shallowRef<Problem>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let turn = 0

  const live = useLive()
  const deaf = live.onNotice(['instances', 'events', 'messages', 'fusion', 'webhooks'], (notice) => {
    if (!concerns(notice)) return
    timer ??= setTimeout(() => {
      timer = undefined
      void load()
    }, GATHER_MS)
  })
  const deafToResets = live.onReset(() => void load())
  onScopeDispose(() => {
    deaf()
    deafToResets()
    clearTimeout(timer)
    turn = Infinity
  })

  /** The answer to the last question counts. */
  async function load(): Promise<void> {
    const mine = ++turn
    try {
      const answer = await api.get<T>(path)
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
