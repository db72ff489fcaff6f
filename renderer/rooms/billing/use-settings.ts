import { ref, shallowRef } from 'vue'
import { asProblem, type Problem } from '../../app/problem.ts'

/** Settings that are changed one at a time; each answer is what they are now. */
export function useSettings<T>(read: () => Promise<T>) {
  const settings = shallowRef<T>()
  const problem = shallowRef<Problem>()
  const isBusy = ref(false)

  async function take(ask: () => Promise<T>): Promise<boolean> {
    isBusy.value = true
    problem.value = undefined
    try {
      settings.value = await ask()
      return true
    } catch (error) {
      problem.value = asProblem(error)
      return false
    } finally {
      isBusy.value = false
    }
  }
  const load = () => take(read)
  void load()
  return { settings, problem, isBusy, take, load }
}
