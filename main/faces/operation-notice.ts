import { CONTRACTS } from '../capabilities/contracts.ts'
import type { Notice, Topic } from '../contract/notice.ts'
import type { Operation } from '../contract/operation.ts'

const TOPICS: ReadonlySet<string> = new Set(CONTRACTS.flatMap(({ topics = [] }) => topics))

/** The notice for windows after an operation changed something, derived from its path. */
export function noticeOf({ path, reach }: Operation, params: Readonly<Record<string, string>>): Notice {
  const topic = topicOf(path)
  const id = params['id']?.toLowerCase()
  if (id === undefined) return { topic }
  if (reach !== 'instance') return { topic, id: params['id'] ?? id }
  return topic === 'instances' ? { topic, id } : { topic, instance_id: id }
}

/** The last path segment that is a topic. Everything under the sandbox has the topic `sandbox`. */
function topicOf(path: string): Topic {
  const segments = path.split('/').filter((segment): segment is Topic => TOPICS.has(segment))
  return segments.includes('sandbox') ? 'sandbox' : (segments.at(-1) ?? 'service')
}
