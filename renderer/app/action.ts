import { ref } from 'vue'
import { useProblemToast } from './problem-toast.ts'

/** An action of a button: busy while it runs, and a toast says why it failed. */
export function useAction() {
  const showProblem = useProblemToast()
  const isBusy = ref(false)

  /** @returns whether it succeeded. */
  async function run(act: () => Promise<unknown>): Promise<boolean> {
    isBusy.value = true
    try {
      await act()
      return true
    } catch (error) {
      showProblem(error)
      return false
    } finally {
      isBusy.value = false
    }
  }
  return { isBusy, run }
}
