import { useAction } from '../../app/action.ts'
import { call } from '../../app/api.ts'

/** Pauses and resumes the agent in a chat. @param after reloads what is shown. */
export function useChatAgent(instanceId: () => string, phone: () => string, after: () => unknown) {
  const { isBusy, run } = useAction()
  const at = () => ({ id: instanceId(), phone: phone() })
  const pause = () =>
    run(async () => {
      await call('pauseAiConversation', { params: at(), body: { minutes: null } })
      await after()
    })
  const resume = () =>
    run(async () => {
      await call('resumeAiConversation', { params: at() })
      await after()
    })
  return { isBusy, pause, resume }
}
