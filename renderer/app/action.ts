import { ref } from 'vue'
import { useCommandProblem } from './command-problems.ts'
import { asProblem, type Problem } from './problem.ts'

/**
 * An action of a button: busy while it runs, and the reason is beside the button if it fails.
 * @param about the name of what it is about; without one, it is the name of the screen.
 */
export function useAction(about?: () => string) {
  const { showProblem } = useCommandProblem(about)
  const isBusy = ref(false)

  /** @param name of what it is about, where that is one of several. @returns whether it succeeded. */
  async function run(act: () => Promise<unknown>, name?: string): Promise<boolean> {
    isBusy.value = true
    try {
      await act()
      return true
    } catch (error) {
      showProblem(error, name)
      return false
    } finally {
      isBusy.value = false
    }
  }
  return { isBusy, run }
}

/** An action whose problem is shown where it is: in its form or its card. */
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
