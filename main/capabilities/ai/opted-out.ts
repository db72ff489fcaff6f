import type { Tx } from '../../kernel/db.ts'
import type { OptOuts } from '../opt-outs/index.ts'
import type { TurnRow } from './turn-store.ts'

/**
 * Whether this turn is dropped because the person opted out. An opt-out ends campaigns and follow-ups, and people who ask
 * something are still answered. There is no answer to the stop word itself, or to questions that came before it.
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
