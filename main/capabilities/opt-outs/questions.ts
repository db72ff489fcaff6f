import type { Notice } from '../../contract/notice.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { Chore } from '../../kernel/housekeeping.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import type { PersonMove } from '../../kernel/person-move.ts'
import { personKey } from '../../kernel/phone-number.ts'
import { foldKeyword } from './keywords.ts'
import {
  dismissQuestion,
  oldQuestions,
  openQuestionsOf,
  openQuestionsPage,
  putQuestion,
  questionOf,
  questionsOfNumber,
  rehomeQuestions,
  removeQuestion,
  removeQuestionsOfInstance,
  type OptOutQuestion,
} from './question-store.ts'
import { WHOLE_ACCOUNT } from './store.ts'

export type { OptOutQuestion } from './question-store.ts'

/** After this time an unanswered question ends, and an answer no longer keeps the same words from asking again. */
const QUESTION_DAYS = 30
const KEPT_MS = QUESTION_DAYS * 24 * 3_600_000
const PRUNED_AT_ONCE = 200

interface QuestionsDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
}

interface NewQuestion {
  readonly accountId: AccountId
  readonly instanceId: InstanceId
  readonly chat: string
  readonly messageId: string
  readonly text: string
}

export type Questions = ReturnType<typeof createQuestions>

/**
 * Messages that may ask for no more campaigns, for a person to decide. A question ends when it is answered, when the person
 * is opted out or in, when its instance is deleted, and when it is old.
 */
export function createQuestions({ db, clock, live }: QuestionsDeps) {
  const changed = (tx: Tx, { accountId, instanceId }: { readonly accountId: string; readonly instanceId: string }) =>
    tx.afterCommit(() => {
      live.publish(accountId as AccountId, { topic: 'opt-outs' })
      live.publish(accountId as AccountId, { topic: 'conversations', instance_id: instanceId })
    })

  const openOne = async (tx: Pick<Tx, 'one'>, instanceId: InstanceId, number: string) => {
    const known = await tx.one(questionOf, { instanceId, number })
    return known?.dismissedAtMs === null ? known : undefined
  }

  return {
    /** The same words ask again only after their last answer has expired. */
    async ask(tx: Tx, { accountId, instanceId, chat, messageId, text }: NewQuestion): Promise<void> {
      const number = personKey(chat)
      const known = await tx.one(questionOf, { instanceId, number })
      if (known !== undefined && known.dismissedAtMs !== null && sameWords(known.text, text)) return
      const seq = await tx.next('opt_out_questions')
      const question = { seq, accountId, instanceId, chat, messageId, text }
      await tx.run(putQuestion, { ...question, number, createdAtMs: clock.now(), dismissedAtMs: null })
      changed(tx, question)
    },

    /** The person is opted out or has opted in again, so the question ends. */
    async end(tx: Tx, accountId: AccountId, phone: string, scope: string): Promise<void> {
      for (const question of await tx.all(questionsOfNumber, { accountId, number: personKey(phone) })) {
        if (scope !== WHOLE_ACCOUNT && scope !== question.instanceId) continue
        await tx.run(removeQuestion, question)
        if (question.dismissedAtMs === null) changed(tx, question)
      }
    },

    /** @returns the open question about this message, unless a later message has replaced it. */
    async find(tx: Pick<Tx, 'one'>, instanceId: InstanceId, chat: string, messageId: string) {
      const question = await openOne(tx, instanceId, personKey(chat))
      return question?.messageId === messageId ? question : undefined
    },

    async dismiss(tx: Tx, question: OptOutQuestion): Promise<void> {
      await tx.run(dismissQuestion, { seq: question.seq, now: clock.now() })
      changed(tx, question)
    },

    /** Open questions of an instance, by person key. */
    async ofChats(instanceId: InstanceId, chats: readonly string[]): Promise<ReadonlyMap<string, OptOutQuestion>> {
      const numbers = [...new Set(chats.map(personKey))]
      const found = await openQuestionsOf.over(numbers, { instanceId }, (statement, params) =>
        db.read(statement, params),
      )
      return new Map(found.flat().map((question) => [question.number, question]))
    },

    /** Newest first. */
    page: (accountId: AccountId, { beforeSeq, rows }: { readonly beforeSeq: number; readonly rows: number }) =>
      db.read(openQuestionsPage, { accountId, before: beforeSeq, rows }),

    /**
     * Of two questions, the later one is kept. A question belongs to a chat, so questions of other instances are not
     * moved.
     */
    async move(tx: Tx, { instanceId, from, to }: PersonMove): Promise<void> {
      const [before, number] = [personKey(from), personKey(to)]
      if (before === number) return
      const question = await tx.one(questionOf, { instanceId, number: before })
      if (question === undefined) return
      await tx.run(removeQuestion, question)
      const known = await openOne(tx, instanceId, number)
      if (known === undefined || (question.dismissedAtMs === null && question.seq > known.seq))
        await tx.run(putQuestion, { ...question, number, chat: to })
      changed(tx, question)
    },

    async instanceDeleted(tx: Tx, instanceId: InstanceId): Promise<void> {
      await tx.run(removeQuestionsOfInstance, { instanceId })
    },

    async instanceTransferred(tx: Tx, instanceId: InstanceId, to: AccountId): Promise<void> {
      await tx.run(rehomeQuestions, { instanceId, to })
    },

    retention: {
      name: 'opt-outs.questions',
      begin: () => async () => {
        const before = clock.now() - KEPT_MS
        return db.commit(async (tx) => {
          const old = await tx.all(oldQuestions, { before, limit: PRUNED_AT_ONCE })
          for (const question of old) {
            await tx.run(removeQuestion, question)
            if (question.dismissedAtMs === null) changed(tx, question)
          }
          return old.length === PRUNED_AT_ONCE
        })
      },
    } satisfies Chore,
  }
}

const sameWords = (one: string, other: string): boolean => one === other || wordsOf(one) === wordsOf(other)
/** Long texts are compared without folding. */
const wordsOf = (text: string): string => foldKeyword(text) || text
