import { watch } from 'vue'
import type { Router } from 'vue-router'
import { useLive } from './live.ts'
import { useProblemToast } from './problem-toast.ts'
import { Problem } from './problem.ts'

/** Says that a screen could not be loaded, and opens it when the service can be reached again. */
export function useLostScreen(router: Router): void {
  const live = useLive()
  const showProblem = useProblemToast()
  let wanted: string | undefined
  router.onError((error: unknown, to) => {
    wanted = to.fullPath
    showProblem(live.isOpen ? error : new Problem(0, 'unreachable', String(error)))
  })
  // Somebody who went elsewhere stays there.
  router.afterEach((_to, _from, failure) => {
    if (failure === undefined) wanted = undefined
  })
  watch(
    () => live.isOpen,
    (isOpen) => {
      if (!isOpen || wanted === undefined) return
      void router.push(wanted)
      wanted = undefined
    },
  )
}
