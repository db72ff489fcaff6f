import type { Notice } from '../../contract/notice.ts'
import type { Clock, Timer } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import { linesOfClients } from '../client-attention.ts'
import type { AttentionLine, AttentionQuery } from '../room.ts'
import { budgetsAfter, markWarned, warnedBudgets } from './budget-store.ts'
import { monthOf, type Budgets } from './budgets.ts'

interface Deps {
  readonly db: Pick<Db, 'read' | 'commit'>
  readonly clock: Pick<Clock, 'now' | 'every'>
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
  readonly log: Log
  readonly budgets: Pick<Budgets, 'ofAccount'>
}

const LOOK_MS = 60_000
const PAGE = 200

/** Warns once a month that an account has nearly used up its budget. Agents' answers also count towards it. */
export function createBudgetWarnings({ db, clock, live, log, budgets }: Deps) {
  let timer: Timer | undefined
  let looking: Promise<void> | undefined

  async function look(): Promise<void> {
    const month = monthOf(clock.now())
    for (let after = '', rows = PAGE; rows === PAGE;) {
      const found = await db.read(budgetsAfter, { after, month, rows: PAGE })
      for (const { accountId } of found) {
        await yieldToEventLoop()
        const state = (await budgets.ofAccount(accountId))?.spending.state ?? 'below'
        if (state !== 'below') await warn(accountId, month)
      }
      after = found.at(-1)?.accountId ?? after
      rows = found.length
    }
  }

  type AccountId = AttentionQuery['accountId']

  const warn = (accountId: AccountId, month: string): Promise<void> =>
    db.commit(async (tx) => {
      if ((await tx.run(markWarned, { accountId, month, now: clock.now() })) === 0) return
      tx.afterCommit(() => {
        log.info({ event: 'budget.warning', accountId, month })
        live.publish(accountId, { topic: 'message-budgets' })
      })
    })

  return {
    look,
    start(): void {
      timer = clock.every(LOOK_MS, () => {
        looking ??= look()
          .catch((error: unknown) => log.warn({ event: 'budget.look_failed', cause: cause(error) }))
          .finally(() => (looking = undefined))
      })
    },
    async stop(): Promise<void> {
      timer?.cancel()
      await looking
    },

    async attention({ accountId, role }: AttentionQuery): Promise<AttentionLine[]> {
      const warned = await db.read(warnedBudgets, { accountId, month: monthOf(clock.now()) })
      const own = warned.find(({ id }) => id === accountId)
      const others = role === 'operator' ? warned.filter(({ id }) => id !== accountId) : []
      const clients = linesOfClients('warning', others)
      if (own === undefined) return clients
      const line = { code: 'budget', severity: 'warning', count: 1, subject: null, text: null } as const
      return [{ ...line, sinceMs: own.sinceMs }, ...clients]
    },
  }
}
