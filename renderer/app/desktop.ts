import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import type { PreferencesChange, PreferencesView, UpdateState } from '../../main/contract/window-bridge.ts'
import { windowBridge } from './window-bridge.ts'

/** Features of the desktop app beyond the service. Empty in a browser. */
export const useDesktop = defineStore('desktop', () => {
  const bridge = windowBridge()
  const isThere = bridge !== undefined
  const preferences = shallowRef<PreferencesView>()
  const update = shallowRef<UpdateState>({ kind: 'none' })
  /** The last change could not be saved. */
  const isLost = ref(false)
  /** An update waits for the person to act. */
  const awaits = computed(() => update.value.kind === 'offered' || update.value.kind === 'ready')

  bridge?.onUpdate((state) => (update.value = state))
  void bridge?.readUpdate().then((state) => (update.value = state))

  async function read(): Promise<void> {
    preferences.value = await bridge?.readPreferences()
  }

  async function change(wanted: PreferencesChange): Promise<void> {
    isLost.value = false
    try {
      preferences.value = await bridge?.changePreferences(wanted)
    } catch {
      isLost.value = true
      await read()
    }
  }

  return {
    ...{ isThere, preferences, update, isLost, awaits, read, change },
    lookForUpdate: () => void bridge?.lookForUpdate(),
    fetchUpdate: () => void bridge?.fetchUpdate(),
    restartToUpdate: () => void bridge?.restartToUpdate(),
  }
})
