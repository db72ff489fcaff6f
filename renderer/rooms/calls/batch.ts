import { call } from '../../app/api.ts'
import { asProblem } from '../../app/problem.ts'

const PAGE = 200
const AT_ONCE = 4

/** Calls of a batch that have not begun. @throws Problem */
export async function listBatch(instanceId: string, batchId: string): Promise<readonly string[]> {
  const found: string[] = []
  let cursor: string | undefined
  do {
    const page = await call('listVoiceCalls', {
      params: { id: instanceId },
      query: { batch_id: batchId, status: 'scheduled', limit: PAGE, cursor },
    })
    found.push(...page.data.map(({ id }) => id))
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  return found
}

/** Cancels calls, a few at a time. Calls that have ended meanwhile are skipped. @throws Problem */
export async function cancelEach(
  instanceId: string,
  callIds: readonly string[],
  onProgress: (done: number) => void,
): Promise<void> {
  const waiting = [...callIds]
  let done = 0
  async function work(): Promise<void> {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        await call('cancelVoiceCall', { params: { id: instanceId, call_id: id } })
      } catch (error) {
        if (asProblem(error).code !== 'invalid_state') throw error
      }
      onProgress(++done)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}
