import { ref } from 'vue'
import { useCommandProblem } from './command-problems.ts'

/**
 * A button's action: busy while it runs, and a failure is shown beside the button.
 * @param about name of the object; default: the name of the screen.
 */
export function useAction(about?: () => string) {
  const { showProblem } = useCommandProblem(about)
  const isBusy = ref(false)

  /** @param name name of the object, if it is one of several. @returns whether it succeeded. */
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
