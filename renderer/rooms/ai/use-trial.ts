import { ref, shallowRef } from 'vue'
import { call } from '../../app/api.ts'
import { useDraft } from '../../app/drafts.ts'
import type { Body, Reply } from '../../app/operation-types.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import { useSetup } from './use-setup.ts'

interface Line {
  readonly from: 'person' | 'agent'
  readonly text: string
  readonly answer?: Reply<'testAgent'>
}
const MOST_HISTORY = 50

export type Trial = ReturnType<typeof useTrial>

/**
 * A chat with an agent, without sending anything.
 * @param draft settings to try instead of the saved ones.
 */
export function useTrial(agentId: string, draft: () => Body<'testAgent'>['agent']) {
  const { params } = useSetup()
  const lines = shallowRef<readonly Line[]>([])
  const text = useDraft(() => `ai.try/${agentId}`)
  const isBusy = ref(false)
  const problem = ref<Problem>()

  async function ask(): Promise<void> {
    const message = text.value.trim()
    if (message === '' || isBusy.value) return
    const history = lines.value
      .filter((line) => line.text !== '')
      .slice(-MOST_HISTORY)
      .map((line) => ({ from: line.from, text: line.text }))
    const stageId = lines.value.findLast(({ answer }) => answer?.stage_id)?.answer?.stage_id
    const agent = draft()
    isBusy.value = true
    problem.value = undefined
    lines.value = [...lines.value, { from: 'person', text: message }]
    text.value = ''
    try {
      const answer = await call('testAgent', {
        params,
        body: { message, agent_id: agentId, history, ...(agent && { agent }), ...(stageId && { stage_id: stageId }) },
      })
      lines.value = [...lines.value, { from: 'agent', text: answer.reply ?? '', answer }]
    } catch (error) {
      problem.value = asProblem(error)
      lines.value = lines.value.slice(0, -1)
      // The person may be typing the next question.
      if (text.value === '') text.value = message
    } finally {
      isBusy.value = false
    }
  }

  function clear(): void {
    lines.value = []
    problem.value = undefined
  }

  return { lines, text, isBusy, problem, ask, clear }
}
