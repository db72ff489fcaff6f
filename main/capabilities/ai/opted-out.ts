import type { Tx } from '../../kernel/db.ts'
import type { OptOuts } from '../opt-outs/index.ts'
import type { TurnRow } from './turn-store.ts'

/**
 * Whether a turn is not for somebody who opted out. That is of campaigns and follow-ups: whoever asks something is
 * answered. Only the stop word itself gets no answer, nor what was asked before it.
 */
export async function isForNobody(
  tx: Tx,
  { accountId, instanceId, chat, kind, question, firstAtMs }: TurnRow,
  optOuts: Pick<OptOuts, 'optedOutAt' | 'isStopWord'>,
): Promise<boolean> {
  const atMs = await optOuts.optedOutAt(tx, accountId, instanceId, chat)
  if (atMs === null) return false
  if (kind === 'follow_up' || atMs >= firstAtMs) return true
  for (const said of question.split('\n')) if (await optOuts.isStopWord(tx, accountId, said)) return true
  return false
}
