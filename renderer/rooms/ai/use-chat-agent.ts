import { ref } from 'vue'
import { call } from '../../app/api.ts'
import { useCommandProblem } from '../../app/command-problems.ts'

/** Pauses and resumes the agent in a chat. @param after reads again what is shown. */
export function useChatAgent(instanceId: () => string, phone: () => string, after: () => unknown) {
  const { showProblem } = useCommandProblem()
  const isBusy = ref(false)

  async function run(act: () => Promise<unknown>): Promise<void> {
    isBusy.value = true
    try {
      await act()
      await after()
    } catch (error) {
      showProblem(error)
    } finally {
      isBusy.value = false
    }
  }
  const at = () => ({ id: instanceId(), phone: phone() })
  const pause = () => run(() => call('pauseAiConversation', { params: at(), body: { minutes: null } }))
  const resume = () => run(() => call('resumeAiConversation', { params: at() }))
  return { isBusy, pause, resume }
}
