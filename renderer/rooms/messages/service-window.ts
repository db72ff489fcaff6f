import { TRAITS } from '../../../main/contract/engine-traits.ts'
import type { Engine } from '../../../main/contract/shapes.ts'

const DAY_MS = 86_400_000

/**
 * Whether free text can be sent. The official engine allows it only within 24 hours of the person's last message.
 * @returns `never` if the person has not written yet; undefined if that is unknown, and for other engines.
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
