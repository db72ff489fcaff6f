import { useToast } from '@nuxt/ui/composables'
import { watch } from 'vue'
import { useI18n } from 'vue-i18n'
import type { Router } from 'vue-router'
import { useLive } from './live.ts'
import { useProblemToast } from './problem-toast.ts'

/** Reports a screen that could not be loaded, and opens it when the service can be reached again. */
export function useLostScreen(router: Router): void {
  const live = useLive()
  const showProblem = useProblemToast()
  const toast = useToast()
  const { t } = useI18n()
  let wanted: string | undefined
  router.onError((error: unknown, to) => {
    wanted = to.fullPath
    if (live.isOpen) showProblem(error)
    else toast.add({ title: t('problems.title.unreachable'), description: t('common.lostScreen'), color: 'error' })
  })
  // A person who navigated elsewhere stays there.
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
