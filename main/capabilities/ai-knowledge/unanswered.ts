import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { isoTime } from '../../contract/request.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { Ids } from '../../kernel/ids.ts'
import { listPage } from '../../kernel/list-page.ts'
import type { Cursors } from '../../kernel/page.ts'
import { fold } from '../../kernel/search/index.ts'
import type { UnansweredQuestion } from './contract.ts'
import type { Faq, Place } from './faq.ts'
import {
  addUnanswered,
  closeUnanswered,
  pruneUnanswered,
  unansweredById,
  unansweredPage,
  type QuestionStatus,
  type UnansweredRow,
} from './unanswered-store.ts'

const MOST = Number.MAX_SAFE_INTEGER

interface UnansweredDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Pick<Ids, 'uuid'>
  readonly cursors: Cursors
  readonly faq: Pick<Faq, 'insert' | 'requireRoom'>
}

interface ListWish {
  readonly status?: QuestionStatus
  readonly limit?: number
  readonly cursor?: string
}

/** A text without a letter is not a question. */
const HAS_LETTER = /\p{L}/u
const KEPT_MS = 180 * 86_400_000
const PRUNED_AT_ONCE = 500

/** Questions from chats that had no answer, and how people resolve them. */
export function createUnanswered({ db, clock, ids, cursors, faq }: UnansweredDeps) {
  const get = async (read: Pick<Tx, 'one'>, instanceId: string, id: string): Promise<UnansweredRow> => {
    const row = await read.one(unansweredById, { instanceId, id })
    if (row === undefined) throw new ApiError('not_found', 'This instance has no unanswered question with this id.')
    return row
  }
  const outside = { one: db.readOne }

  return {
    /** Counts a question in the commit that leaves it unanswered. */
    async note(tx: Tx, { instanceId, accountId }: Place, { chat, question }: { chat: string; question: string }) {
      const text = question.trim().slice(0, LIMITS.aiQuestionLength)
      const folded = fold(text)
      if (!HAS_LETTER.test(folded)) return
      const row = { seq: await tx.next('ai_unanswered'), id: ids.uuid(), instanceId, accountId, folded, chat }
      await tx.run(addUnanswered, { ...row, question: text, now: clock.now() })
    },

    list: (instanceId: string, { status = 'open', ...page }: ListWish) =>
      listPage(cursors, `unanswered:${instanceId}:${status}`, page, {
        read: ({ after: [beforeAt = MOST, before = MOST] = [], rows }) =>
          db.read(unansweredPage, { instanceId, status, rows, beforeAt: Number(beforeAt), before: Number(before) }),
        at: ({ lastAtMs, seq }) => [lastAtMs, seq],
        show: (rows) => rows.map(toQuestion),
      }),

    find: (instanceId: string, id: string) => get(outside, instanceId, id),

    /** @throws ApiError not_found, invalid_state */
    async answer(place: Place, id: string, body: { readonly answer: string; readonly question?: string }) {
      const { instanceId } = place
      return db.commit(async (tx) => {
        const row = await get(tx, instanceId, id)
        if (row.status === 'answered')
          throw new ApiError('invalid_state', 'This question has an answer already. Change it in the FAQ.').because(
            'question_answered',
          )
        await faq.requireRoom(tx, instanceId)
        const entry = await faq.insert(tx, place, { question: body.question ?? row.question, answer: body.answer })
        await tx.run(closeUnanswered, { seq: row.seq, status: 'answered', faqId: entry.id })
        return toQuestion({ ...row, status: 'answered', faqId: entry.id })
      })
    },

    async dismiss(instanceId: string, id: string): Promise<UnansweredQuestion> {
      return db.commit(async (tx) => {
        const row = await get(tx, instanceId, id)
        if (row.status !== 'open') return toQuestion(row)
        await tx.run(closeUnanswered, { seq: row.seq, status: 'dismissed', faqId: null })
        return toQuestion({ ...row, status: 'dismissed' })
      })
    },

    retention: {
      name: 'ai-knowledge.unanswered',
      begin: () => async () => {
        const before = clock.now() - KEPT_MS
        return (await db.commit((tx) => tx.run(pruneUnanswered, { before, limit: PRUNED_AT_ONCE }))) === PRUNED_AT_ONCE
      },
    },
  }
}

const toQuestion = (row: UnansweredRow): UnansweredQuestion => ({
  ...{ id: row.id, question: row.question, status: row.status, times: row.times, phone: row.chat },
  faq_id: row.faqId,
  first_asked_at: isoTime(row.firstAtMs),
  last_asked_at: isoTime(row.lastAtMs),
})
