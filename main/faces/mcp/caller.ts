import type { Principal } from '../../kernel/access.ts'
import type { ToolFilter } from './toolsets.ts'

/** Who sent the HTTP request a message arrived in. Never the session's: a key can lose a scope at any time. */
export interface Caller {
  readonly principal: Principal
  /** Equals the X-Request-Id of the answer, and so of each error in it. */
  readonly requestId: string
  /** Which tools it asked to be shown. */
  readonly toolFilter: ToolFilter
}
