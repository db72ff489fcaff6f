import { ref } from 'vue'
import { asProblem, type Problem } from './problem.ts'

/** An action whose problem is shown in its own form or card. */
export function useInlineAction() {
  const isBusy = ref(false)
  const problem = ref<Problem>()

  /** @returns whether it succeeded. */
  async function run(act: () => Promise<unknown>): Promise<boolean> {
    isBusy.value = true
    problem.value = undefined
    try {
      await act()
      return true
    } catch (error) {
      problem.value = asProblem(error)
      return false
    } finally {
      isBusy.value = false
    }
  }
  return { isBusy, problem, run }
}
