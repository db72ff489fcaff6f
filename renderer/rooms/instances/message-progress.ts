import type { MessageRecord } from '../../../main/capabilities/messages/contract.ts'
import type { MessageStatus } from '../../../main/contract/shapes.ts'

const STEPS = ['queued', 'sent', 'delivered', 'read'] as const satisfies readonly MessageStatus[]

export interface Milestone {
  readonly status: MessageStatus
  readonly state: 'done' | 'next' | 'ahead' | 'failed'
  readonly at: string | null
}

type Facts = Pick<MessageRecord, 'status' | 'history'>

/** The steps of a message: done, current and upcoming. A failure replaces the step that did not happen. */
export function milestones(record: Facts | undefined): Milestone[] {
  const at = (status: MessageStatus) => record?.history.find((entry) => entry.status === status)?.at ?? null
  const reached =
    record === undefined
      ? -1
      : record.status === 'failed'
        ? Math.max(...STEPS.map((status, index) => (at(status) === null ? -1 : index)))
        : STEPS.indexOf(record.status)
  return STEPS.flatMap<Milestone>((status, index) => {
    if (index <= reached) return { status, state: 'done', at: at(status) }
    if (record?.status === 'failed')
      return index === reached + 1 ? { status: 'failed', state: 'failed', at: at('failed') } : []
    return { status, state: index === reached + 1 ? 'next' : 'ahead', at: null }
  })
}

export const isFinal = (status: MessageStatus | undefined): boolean => status === 'read' || status === 'failed'
