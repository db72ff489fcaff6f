import { defineStore } from 'pinia'
import { ref } from 'vue'
import type { BackupsRecord, SettingRecord } from '../../../main/capabilities/service/contract.ts'
import { api } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import { asProblem, type Problem } from '../../app/problem.ts'

interface Settings {
  readonly data: readonly SettingRecord[]
  readonly can_restart: boolean
}

/** What can be set, and what can be gone back to. */
export const useSettings = defineStore('settings', () => {
  const settings = ref<readonly SettingRecord[]>()
  const canRestart = ref(false)
  const backups = ref<BackupsRecord>()
  const problem = ref<Problem>()
  const live = useLive()
  live.onNotice('service', () => void (settings.value && load()))
  live.onReset(() => void (settings.value && load()))

  async function load(): Promise<void> {
    try {
      const [found, copies] = await Promise.all([
        api.get<Settings>('/service/settings'),
        api.get<BackupsRecord>('/service/backups'),
      ])
      take(found)
      backups.value = copies
      problem.value = undefined
    } catch (error) {
      problem.value = asProblem(error)
    }
  }

  function take(found: Settings): void {
    settings.value = found.data
    canRestart.value = found.can_restart
  }

  /** @throws Problem */
  const change = async (name: string, value: SettingRecord['value']): Promise<void> =>
    take(await api.patch<Settings>('/service/settings', { changes: { [name]: value } }))

  /** @throws Problem */
  async function backUp(): Promise<{ file: string }> {
    const made = await api.post<{ file: string }>('/service/backups')
    await load()
    return made
  }

  /** @throws Problem */
  async function restore(name: string): Promise<void> {
    const path = `/service/backups/${encodeURIComponent(name)}/restore`
    backups.value = await api.post<BackupsRecord>(path, {}, { query: { confirm: true } })
  }

  /** @throws Problem */
  async function cancelRestore(): Promise<void> {
    await api.delete('/service/restore')
    await load()
  }

  /** @throws Problem */
  const restart = () => api.post<object>('/service/restart')

  return { settings, canRestart, backups, problem, load, change, backUp, restore, cancelRestore, restart }
})
