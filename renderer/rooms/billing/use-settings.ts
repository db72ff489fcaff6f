import { shallowRef } from 'vue'
import { useInlineAction } from '../../app/inline-action.ts'

/** Settings that are changed one at a time; each answer contains their new state. */
export function useSettings<T>(read: () => Promise<T>) {
  const settings = shallowRef<T>()
  const { isBusy, problem, run } = useInlineAction()
  const take = (ask: () => Promise<T>) =>
    run(async () => {
      settings.value = await ask()
    })
  const load = () => take(read)
  void load()
  return { settings, problem, isBusy, take, load }
}
