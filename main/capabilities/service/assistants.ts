import type { Notice } from '../../contract/notice.ts'
import type { Principal } from '../../kernel/access.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'

/** The client program of an assistant, as it identifies itself over MCP. */
interface AssistantClient {
  readonly name: string
  readonly version: string
}

interface Introduction {
  readonly caller: Pick<Principal, 'accountId' | 'key'>
  readonly client: AssistantClient
}

interface ConnectedAssistant extends Introduction {
  readonly lastSeenAtMs: number
}

export interface Assistants {
  readonly recordAssistant: (introduction: Introduction) => void
  /** Most recently seen first. */
  readonly assistants: (accountId: string) => readonly ConnectedAssistant[]
}

export interface AssistantsDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
}

/** Limit per account. */
const KEPT = 50
/** Stateless clients identify themselves with every request; the console refetches no more often than this. */
const NOTICE_EVERY_MS = 5_000

/** Assistants that have connected since the start. Kept in memory: it only answers “did my setup work?”. */
export function createAssistants({ clock, live }: AssistantsDeps): Assistants {
  const known = new Map<string, ConnectedAssistant>()
  const noticedAtMs = new Map<string, number>()

  return {
    recordAssistant(introduction) {
      const { caller, client } = introduction
      const id = JSON.stringify([caller.accountId, caller.key?.id, client.name, client.version])
      const nowMs = clock.now()
      // Reinserted, so that the oldest is always first.
      known.delete(id)
      known.set(id, { ...introduction, lastSeenAtMs: nowMs })
      const ofAccount = [...known].filter(([, { caller: other }]) => other.accountId === caller.accountId)
      for (const [oldest] of ofAccount.slice(0, Math.max(0, ofAccount.length - KEPT))) {
        known.delete(oldest)
        noticedAtMs.delete(oldest)
      }
      if (nowMs - (noticedAtMs.get(id) ?? -Infinity) < NOTICE_EVERY_MS) return
      noticedAtMs.set(id, nowMs)
      live.publish(caller.accountId, { topic: 'assistants' })
    },
    assistants: (accountId) => [...known.values()].filter(({ caller }) => caller.accountId === accountId).toReversed(),
  }
}
