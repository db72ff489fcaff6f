import type { Principal } from '../../kernel/access.ts'
import type { ToolFilter } from './toolsets.ts'

/** The caller of the current HTTP request. Never cached for the session, because a key can lose access at any time. */
export interface Caller {
  readonly principal: Principal
  /** X-Request-Id of the response and of every error in it. */
  readonly requestId: string
  /** The tools the client asked for. */
  readonly toolFilter: ToolFilter
}
