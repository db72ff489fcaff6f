import { useToast } from '@nuxt/ui/composables'
import { asProblem } from './problem.ts'
import { useProblemText } from './use-problem-text.ts'

/** @returns a function that shows a toast for anything thrown by a command without a form. */
export function useProblemToast(): (error: unknown) => void {
  const toast = useToast()
  const textOf = useProblemText({ isCommand: true })
  return (error) => {
    const { title, text } = textOf(asProblem(error))
    toast.add({ title, description: text, color: 'error' })
  }
}
