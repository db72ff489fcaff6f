import { ref } from 'vue'
import { useCommandProblem } from './command-problems.ts'

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
