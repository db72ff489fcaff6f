import type { Clock } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import { CLOCK_MOVED, readMeta } from '../../../kernel/meta.ts'
import { sql } from '../../../kernel/sql.ts'
import { GraphFault, ok, type GraphAnswer } from './answers.ts'
import type { GraphNumber } from './store.ts'

interface Permission {
  readonly status: 'no_permission' | 'temporary' | 'permanent'
  readonly expiresAtMs: number | null
  /** Times of the latest requests, by Meta's clock, which does not jump when ours is set. */
  readonly requests: readonly number[]
  readonly unanswered: number
}

type Of = { phoneNumberId: string; user: string }
type Row = Omit<Permission, 'requests'> & { readonly requests: string }

const permissionOf = sql<Of, Row>(
  `SELECT status, expires_at AS expiresAtMs, requests, unanswered FROM sandbox_graph_permissions
   WHERE phone_number_id = :phoneNumberId AND user_number = :user`,
)
const savePermission = sql<Of & Row>(
  `INSERT INTO sandbox_graph_permissions (phone_number_id, user_number, status, expires_at, requests, unanswered)
   VALUES (:phoneNumberId, :user, :status, :expiresAtMs, :requests, :unanswered)
   ON CONFLICT (phone_number_id, user_number) DO UPDATE SET status = excluded.status, expires_at = excluded.expires_at,
     requests = excluded.requests, unanswered = excluded.unanswered`,
)

const DAY_MS = 86_400_000
const PER_DAY = 1
const PER_WEEK = 2
const VALID_MS = 7 * DAY_MS
/** After this many unanswered calls, Meta withdraws the permission. */
const UNANSWERED_AT_MOST = 4
const NONE: Permission = { status: 'no_permission', expiresAtMs: null, requests: [], unanswered: 0 }

/** Whom a number may call, by Meta's rules: one request a day and two a week; a permission is valid for seven days. */
export function createPermissions({ db, clock }: { db: Db; clock: Pick<Clock, 'now'> }) {
  async function read({ phoneNumberId }: GraphNumber, user: string): Promise<Permission> {
    const row = await db.readOne(permissionOf, { phoneNumberId, user })
    if (row === undefined) return NONE
    const stored: Permission = { ...row, requests: JSON.parse(row.requests) as number[] }
    const isOver = stored.expiresAtMs !== null && stored.expiresAtMs <= clock.now()
    return isOver ? { ...stored, status: 'no_permission', expiresAtMs: null } : stored
  }

  async function change(number: GraphNumber, user: string, changed: Partial<Permission>): Promise<void> {
    const { phoneNumberId } = number
    const next = { ...(await read(number, user)), ...changed }
    const requests = JSON.stringify(next.requests)
    await db.commit((tx) => tx.run(savePermission, { phoneNumberId, user, ...next, requests }))
  }

  const metaNow = async (): Promise<number> => clock.now() - Number((await readMeta(db, CLOCK_MOVED)) ?? 0)

  const isGranted = async (number: GraphNumber, user: string) => (await read(number, user)).status !== 'no_permission'

  return {
    isGranted,
    async describe(number: GraphNumber, user: string): Promise<GraphAnswer> {
      const { status, expiresAtMs } = await read(number, user)
      const expiration = expiresAtMs === null ? {} : { expiration_time: Math.floor(expiresAtMs / 1_000) }
      return ok({ messaging_product: 'whatsapp', permission: { status, ...expiration }, actions: [] })
    },
    /** @throws GraphFault when the person was asked too recently */
    async request(number: GraphNumber, user: string): Promise<void> {
      const { requests } = await read(number, user)
      const now = await metaNow()
      const since = (ms: number) => requests.filter((at) => at > now - ms).length
      if (since(DAY_MS) >= PER_DAY || since(7 * DAY_MS) >= PER_WEEK)
        throw new GraphFault(400, 138_009, '(#138009) Call permission request limit hit')
      await change(number, user, { requests: [...requests, now].slice(-PER_WEEK) })
    },
    grant: (number: GraphNumber, user: string, isPermanent: boolean) =>
      change(number, user, {
        status: isPermanent ? 'permanent' : 'temporary',
        expiresAtMs: isPermanent ? null : clock.now() + VALID_MS,
        unanswered: 0,
      }),
    /** Counts a call that ended. */
    async noteCall(number: GraphNumber, user: string, wasAnswered: boolean): Promise<void> {
      const unanswered = wasAnswered ? 0 : (await read(number, user)).unanswered + 1
      const isRevoked = unanswered >= UNANSWERED_AT_MOST
      await change(number, user, { unanswered, ...(isRevoked && { status: 'no_permission', expiresAtMs: null }) })
    },
  }
}

export type Permissions = ReturnType<typeof createPermissions>
