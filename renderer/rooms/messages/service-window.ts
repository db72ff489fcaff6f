import { TRAITS } from '../../../main/contract/engine-traits.ts'
import type { Engine } from '../../../main/contract/shapes.ts'

const DAY_MS = 86_400_000

/**
 * Whether free text can be sent. On the official engine, only within 24 hours of the other side's last message.
 * @returns `never`: they have not written yet; undefined while that is not known, and on other engines.
 */
export function serviceWindow(
  engine: Engine | undefined,
  lastInboundAt: string | null | undefined,
  nowMs: number,
): 'open' | 'closed' | 'never' | undefined {
  if (engine === undefined || !TRAITS[engine].needsTemplates || lastInboundAt === undefined) return undefined
  if (lastInboundAt === null) return 'never'
  return nowMs - Date.parse(lastInboundAt) > DAY_MS ? 'closed' : 'open'
}
