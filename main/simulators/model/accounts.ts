import type { ModelFault, ModelReply } from '../../contract/sandbox.ts'
import type { AccountId } from '../../kernel/ids.ts'

/** A request with its answer. */
export interface SeenRequest {
  readonly atMs: number
  /** `/v1/chat/completions` */
  readonly path: string
  readonly model: string | null
  /** null: the connection was closed without an answer. */
  readonly status: number | null
  readonly fault: ModelFault | null
}

/** Settings and requests of an account. Kept in memory: a restart deletes them. */
export interface ModelAccount {
  arm(kind: ModelFault, times: number): void
  /** The fault for this request, if any; each fault occurs as often as requested. */
  strike(): ModelFault | null
  queue(replies: readonly ModelReply[]): number
  next(): ModelReply | undefined
  clear(): void
  note(request: SeenRequest): void
  view(): { readonly queued: number; readonly requests: readonly SeenRequest[] }
}

const REQUESTS_AT_MOST = 100

export function createModelAccounts(): (accountId: AccountId) => ModelAccount {
  const accounts = new Map<AccountId, ModelAccount>()
  return (accountId) => {
    const known = accounts.get(accountId) ?? createModelAccount()
    accounts.set(accountId, known)
    return known
  }
}

function createModelAccount(): ModelAccount {
  const faults = new Map<ModelFault, number>()
  const replies: ModelReply[] = []
  const requests: SeenRequest[] = []
  return {
    arm: (kind, times) => void faults.set(kind, times),
    strike() {
      const [kind, times] = [...faults][0] ?? []
      if (kind === undefined || times === undefined) return null
      if (times > 1) faults.set(kind, times - 1)
      else faults.delete(kind)
      return kind
    },
    queue(more) {
      return replies.push(...more)
    },
    next: () => replies.shift(),
    clear() {
      replies.length = 0
      faults.clear()
      requests.length = 0
    },
    note(request) {
      requests.unshift(request)
      requests.length = Math.min(requests.length, REQUESTS_AT_MOST)
    },
    view: () => ({ queued: replies.length, requests: [...requests] }),
  }
}
