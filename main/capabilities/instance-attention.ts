import type { IssueFacts } from '../engines/engine.ts'
import { commonFacts } from './issue-details.ts'
import type { AttentionLine } from './room.ts'

interface Found {
  readonly id: string
  readonly name: string
  readonly sinceMs: number | null
  readonly facts?: IssueFacts
}

/** One issue for all these instances; none if the list is empty. */
export function lineOfInstances(
  code: string,
  severity: AttentionLine['severity'],
  found: readonly Found[],
): AttentionLine[] {
  const [first, ...others] = found
  if (first === undefined) return []
  const facts = commonFacts(found.map((each) => each.facts ?? {}))
  const times = found.flatMap(({ sinceMs }) => sinceMs ?? [])
  return [
    {
      ...{ code, severity, count: found.length, ids: found.map(({ id }) => id), text: null },
      subject: others.length === 0 ? { id: first.id, name: first.name } : null,
      sinceMs: times.length === 0 ? null : times.reduce((a, b) => Math.min(a, b)),
      ...(Object.keys(facts).length > 0 && { facts }),
    },
  ]
}
