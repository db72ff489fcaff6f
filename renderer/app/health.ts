import { defineStore } from 'pinia'
import { ref } from 'vue'
import { isServiceHealthy } from './api.ts'

export type Health = 'asking' | 'running' | 'silent'

export const useHealth = defineStore('health', () => {
  const health = ref<Health>('asking')

  async function ask(): Promise<void> {
    health.value = (await isServiceHealthy()) ? 'running' : 'silent'
  }

  return { health, ask }
})
