import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Principal } from '../../kernel/access.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { Seal } from '../../kernel/seal.ts'
import {
  approvalOfKey,
  collect,
  countPending,
  forget,
  insertApproval,
  latestOfCall,
  toApproval,
  type Approval,
} from './store.ts'

/** A call that a key may make only after a person agreed. */
interface AskedCall {
  readonly tool: string
  readonly operation: string
  /** Everything the call needs, secrets included. */
  readonly given: Readonly<Record<string, unknown>>
  /** The same for people. */
  readonly shown: Readonly<Record<string, unknown>>
  /** What will happen. */
  readonly sentence: string
  /** Hash of tool and arguments: what makes it the same call. */
  readonly fingerprint: Buffer
  /** Carrying it out again cannot act twice. */
  readonly repeatable: boolean
}

export interface Asking {
  /** The same call of the same key, while there is something to say about it: it waits, or was decided and not heard. */
  readonly findSame: (principal: Principal, fingerprint: Buffer) => Promise<Approval | undefined>
  /** Asks a person; a call that waits already is not asked about twice. @throws ApiError sealed, invalid_state */
  readonly ask: (principal: Principal, call: AskedCall) => Promise<Approval>
  /**
   * An approval of this key by its id.
   * @param fingerprint of the call it is named in; undefined when nothing else was given.
   * @throws ApiError not_found; validation_error when it was given for another call.
   */
  readonly findOwn: (principal: Principal, id: string, fingerprint: Buffer | undefined) => Promise<Approval>
}

interface Needs {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Pick<Ids, 'approval'>
  readonly seal: Seal
  /** Told of each new one after its commit. */
  readonly asked: (approval: Pick<Approval, 'id' | 'expiresAtMs'>) => void
}

const KEPT_MS = 30 * 24 * 60 * 60_000
const FORGOTTEN_AT_ONCE = 100
/** After that, the same call is a new wish and not a question about the old one. */
const HEARD_WITHIN_MS = 60 * 60_000

export function createAsking({ db, clock, ids, seal, asked }: Needs): Asking {
  return {
    findSame: (principal, fingerprint) => db.commit((tx) => same(tx, keyOf(principal).id, fingerprint, clock.now())),

    ask(principal, { given, shown, fingerprint, repeatable, ...call }) {
      const { id: keyId, name: keyName } = keyOf(principal)
      const id = ids.approval()
      const sealed = seal.seal(Buffer.from(JSON.stringify(given)), ownerOf(id))
      return db.commit(async (tx) => {
        const now = clock.now()
        const waiting = await same(tx, keyId, fingerprint, now)
        if (waiting) return waiting
        if (((await tx.one(countPending, { keyId, now }))?.waiting ?? 0) >= LIMITS.approvalsPendingPerKey)
          throw tooMany()
        await tx.run(forget, { before: now - KEPT_MS, rows: FORGOTTEN_AT_ONCE })
        const expiresAtMs = now + LIMITS.approvalMinutes * 60_000
        const row = { id, accountId: principal.accountId, keyId, keyName, ...call, expiresAtMs }
        const rest = {
          arguments: sealed,
          shown: JSON.stringify(shown),
          fingerprint,
          repeatable: repeatable ? 1 : 0,
          now,
        }
        await tx.run(insertApproval, { ...row, ...rest })
        tx.afterCommit(() => asked(row))
        return {
          ...row,
          ...{
            shown,
            state: 'pending' as const,
            createdAtMs: now,
            decidedAtMs: null,
            executedAtMs: null,
            result: null,
          },
        }
      })
    },

    findOwn: (principal, id, fingerprint) =>
      db.commit(async (tx) => {
        const now = clock.now()
        const row = await tx.one(approvalOfKey, { id, keyId: keyOf(principal).id })
        if (!row) throw new ApiError('not_found', 'There is no approval with this approval_id for this key.')
        if (fingerprint !== undefined && !fingerprint.equals(row.fingerprint)) throw ofAnotherCall()
        await tx.run(collect, { id, now })
        return toApproval(row, now)
      }),
  }
}

async function same(tx: Tx, keyId: string, fingerprint: Buffer, now: number): Promise<Approval | undefined> {
  const row = await tx.one(latestOfCall, { keyId, fingerprint })
  if (!row) return undefined
  const approval = toApproval(row, now)
  switch (approval.state) {
    case 'pending':
    case 'approved':
      return approval
    case 'refused':
      // Who asks again at once would wear the person out.
      return row.expiresAtMs > now ? approval : undefined
    case 'executed':
      if (row.collectedAtMs !== null || (row.executedAtMs ?? 0) + HEARD_WITHIN_MS <= now) return undefined
      await tx.run(collect, { id: row.id, now })
      return approval
    case 'expired':
      return undefined
  }
}

/** Names the row for the seal. */
export const ownerOf = (id: string): string => `approval:${id}`

function keyOf({ key }: Principal) {
  if (key === null) throw new Error('only keys ask for approval')
  return key
}

const ofAnotherCall = () =>
  new ApiError(
    'validation_error',
    'approval_id belongs to another call: send it with the tool and the arguments that were approved, or alone.',
  )

const tooMany = () =>
  new ApiError(
    'invalid_state',
    `${LIMITS.approvalsPendingPerKey} calls of this key wait for approval already. Ask the person to decide about them first; nothing was done.`,
  )
