import type { ContactBook } from '../../engines/contact-book.ts'
import type { Tx } from '../../kernel/db.ts'
import { dueIn } from '../../kernel/due.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import type { Jobs } from '../../kernel/jobs.ts'
import type { Log } from '../../kernel/log.ts'
import type { Instances } from '../instances/index.ts'

interface Deps {
  readonly clock: Clock
  readonly jobs: Jobs
  readonly log: Log
  readonly instances: Pick<Instances, 'subject' | 'engineFor'>
}

interface Input {
  readonly instanceId: InstanceId
  readonly userId: string
}

type Result = { readonly outcome: Awaited<ReturnType<ContactBook['forget']>> }

const MINUTE_MS = 60_000
const RETRY_MS = [MINUTE_MS, 10 * MINUTE_MS, 60 * MINUTE_MS, 6 * 60 * MINUTE_MS]

export type MetaContactBook = ReturnType<typeof createMetaContactBook>

/** Deletes people from the contact book that Meta keeps for official numbers. A job ends when Meta has answered. */
export function createMetaContactBook({ clock, jobs, log, instances }: Deps) {
  const bookOf = () => {
    try {
      return instances.engineFor({ engine: 'official', network: 'live' }).contactBook
    } catch {
      // This build lacks the engine.
      return undefined
    }
  }

  const queue = jobs.define<Input, Result>({
    name: 'contacts.forget_at_meta',
    perLane: 1,
    concurrency: 4,
    deadlineMs: 60_000,
    retryDelaysMs: RETRY_MS,
    keepsTrying: true,
    async act({ accountId, input: { instanceId, userId } }) {
      const instance = await instances.subject(accountId, instanceId)
      if (instance === undefined || instance.deleted) return { outcome: 'gone' }
      return { outcome: (await bookOf()?.forget(instance, userId)) ?? 'gone' }
    },
    async record(_tx, { input: { instanceId } }, { outcome }) {
      log.info({ event: 'contacts.forgotten_at_meta', instanceId, outcome })
      return { kind: 'done' }
    },
  })

  return {
    /** Runs in the commit that removes the contact. @param addresses all names of the person. */
    async forget(tx: Tx, accountId: AccountId, addresses: readonly string[]): Promise<void> {
      const entries = (await bookOf()?.entriesOf(tx, accountId, addresses)) ?? []
      for (const { instanceId, userId } of entries) {
        const key = `${instanceId} ${userId}`
        const place = { accountId, subjectId: instanceId, lane: instanceId, key }
        await queue.add(tx, { ...place, runAt: dueIn(clock, 0), input: { instanceId, userId } })
      }
    },
  }
}
