import { useToast } from '@nuxt/ui/composables'
import { useI18n } from 'vue-i18n'
import { asProblem, type Problem } from './problem.ts'

/** What went wrong, in the person's language; the service's own sentence, in English, says more. */
export function useProblemTitle(): (problem: Pick<Problem, 'status' | 'code'>) => string {
  const { t, te } = useI18n()
  return ({ status, code }) => {
    if (status === 0) return t('common.problem.unreachable')
    const words = `common.problem.code.${code}`
    return te(words) || te(words, 'en') ? t(words) : t('common.problem.title')
  }
}

/** @returns shows a toast for anything thrown. */
export function useProblemToast(): (error: unknown) => void {
  const toast = useToast()
  const titleOf = useProblemTitle()
  return (error) => {
    const problem = asProblem(error)
    const description = problem.status === 0 ? '' : problem.message
    toast.add({ title: titleOf(problem), description, color: 'error' })
  }
}
