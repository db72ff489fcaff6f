import { defineStore } from 'pinia'
import { ref } from 'vue'
import type { SettingRecord } from '../../../main/capabilities/service/contract.ts'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import type { Reply } from '../../app/operation-types.ts'
import { asProblem, type Problem } from '../../app/problem.ts'

/** The settings of the service, and the backups that can be restored. */
export const useSettings = defineStore('settings', () => {
  const settings = ref<readonly SettingRecord[]>()
  const canRestart = ref(false)
  const backups = ref<Reply<'listBackups'>>()
  const problem = ref<Problem>()
  const live = useLive()
  live.onNotice('service', () => void (settings.value && load()))
  live.onReset(() => void (settings.value && load()))

  async function load(): Promise<void> {
    try {
      const [found, copies] = await Promise.all([call('listSettings'), call('listBackups')])
      take(found)
      backups.value = copies
      problem.value = undefined
    } catch (error) {
      problem.value = asProblem(error)
    }
  }

  function take(found: Reply<'listSettings'>): void {
    settings.value = found.data
    canRestart.value = found.can_restart
  }

  /** @throws Problem */
  const change = async (name: string, value: SettingRecord['value']): Promise<void> =>
    take(await call('updateSettings', { body: { changes: { [name]: value } } }))

  /** @throws Problem */
  async function backUp(): Promise<Reply<'createBackup'>> {
    const made = await call('createBackup')
    await load()
    return made
  }

  /** @throws Problem */
  async function restore(name: string): Promise<void> {
    backups.value = await call('restoreBackup', { params: { name }, confirm: true })
  }

  /** @throws Problem */
  async function cancelRestore(): Promise<void> {
    await call('cancelRestore')
    await load()
  }

  /** @throws Problem */
  const restart = () => call('restartService')

  return { settings, canRestart, backups, problem, load, change, backUp, restore, cancelRestore, restart }
})
