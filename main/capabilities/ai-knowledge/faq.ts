import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { isoTime } from '../../contract/request.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, Ids } from '../../kernel/ids.ts'
import type { Cursors } from '../../kernel/page.ts'
import { fold } from '../../kernel/search/index.ts'
import { seqPage } from '../../kernel/list-page.ts'
import type { CreateFaqBody, FaqEntry, UpdateFaqBody } from './contract.ts'
import { changeFaq, faqById, faqByQuestion, faqCount, faqPage, insertFaq, removeFaq, type FaqRow } from './faq-store.ts'

export interface Place {
  readonly instanceId: string
  readonly accountId: AccountId
}

interface FaqDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Pick<Ids, 'uuid'>
  readonly cursors: Cursors
  /** Called in every commit that changes searchable content. */
  readonly onChange: (tx: Tx, instanceId: string) => void
}

interface ListWish {
  readonly q?: string
  readonly limit?: number
  readonly cursor?: string
}

type Saved = 'created' | 'updated' | 'unchanged' | 'too_many'

export type Faq = ReturnType<typeof createFaq>

const READ_AT_ONCE = 500

/** Questions with their answers. */
export function createFaq({ db, clock, ids, cursors, onChange }: FaqDeps) {
  const get = async (instanceId: string, id: string): Promise<FaqRow> => {
    const row = await db.readOne(faqById, { instanceId, id })
    if (row === undefined) throw new ApiError('not_found', 'This instance has no FAQ entry with this id.')
    return row
  }

  async function insert(tx: Tx, { instanceId, accountId }: Place, entry: CreateFaqBody): Promise<FaqRow> {
    const now = clock.now()
    const { question, answer } = entry
    const row: FaqRow = {
      ...{ seq: await tx.next('ai_faq'), id: ids.uuid(), question, answer },
      ...{ enabled: entry.enabled === false ? 0 : 1, createdAtMs: now, updatedAtMs: now },
    }
    await tx.run(insertFaq, { ...row, instanceId, accountId, folded: fold(question) })
    onChange(tx, instanceId)
    return row
  }

  async function change(tx: Tx, instanceId: string, row: FaqRow, body: UpdateFaqBody): Promise<FaqRow> {
    const enabled = body.enabled === undefined ? row.enabled : body.enabled ? 1 : 0
    const next = {
      ...row,
      question: body.question ?? row.question,
      answer: body.answer ?? row.answer,
      enabled,
    } as const
    if (next.question === row.question && next.answer === row.answer && next.enabled === row.enabled) return row
    const changed = { ...next, updatedAtMs: clock.now() }
    const { seq, question, answer, updatedAtMs } = changed
    await tx.run(changeFaq, { seq, question, answer, enabled, updatedAtMs, folded: fold(question) })
    onChange(tx, instanceId)
    return changed
  }

  /** The newest entries before a sequence number that contain all words. */
  async function matching(instanceId: string, q: string, page: { before: number; rows: number }): Promise<FaqRow[]> {
    const words = fold(q).split(' ')
    const found: FaqRow[] = []
    for (let { before } = page; found.length < page.rows;) {
      const rows = await db.read(faqPage, { instanceId, before, rows: READ_AT_ONCE })
      for (const row of rows) {
        const text = fold(`${row.question} ${row.answer}`)
        if (words.every((word) => text.includes(word))) found.push(row)
      }
      const last = rows.at(-1)
      if (last === undefined || rows.length < READ_AT_ONCE) break
      before = last.seq
    }
    return found.slice(0, page.rows)
  }

  return {
    list: (instanceId: string, { q, ...wish }: ListWish) =>
      seqPage(
        cursors,
        `faq:${instanceId}:${q ?? ''}`,
        wish,
        (page) => (q === undefined ? db.read(faqPage, { instanceId, ...page }) : matching(instanceId, q, page)),
        toEntry,
      ),
    async get(instanceId: string, id: string): Promise<FaqEntry> {
      return toEntry(await get(instanceId, id))
    },
    create: async (place: Place, body: CreateFaqBody): Promise<FaqEntry> =>
      toEntry(
        await db.commit(async (tx) => {
          await requireRoom(tx, place.instanceId)
          return insert(tx, place, body)
        }),
      ),
    async update(instanceId: string, id: string, body: UpdateFaqBody): Promise<FaqEntry> {
      await get(instanceId, id)
      return db.commit(async (tx) => {
        const row = await tx.one(faqById, { instanceId, id })
        if (row === undefined) throw new ApiError('not_found', 'This instance has no FAQ entry with this id.')
        return toEntry(await change(tx, instanceId, row, body))
      })
    },
    async remove(instanceId: string, id: string): Promise<void> {
      const { seq } = await get(instanceId, id)
      await db.commit(async (tx) => {
        await tx.run(removeFaq, { seq })
        onChange(tx, instanceId)
      })
    },
    requireRoom,
    insert,
    /** Adds entries, and replaces the answers of entries with the same questions. */
    async save(tx: Tx, place: Place, entries: readonly CreateFaqBody[]): Promise<Saved[]> {
      const { instanceId } = place
      // Counting is slow, so it is done once and not for each row.
      let room = LIMITS.aiFaqEntries - ((await tx.one(faqCount, { instanceId }))?.count ?? 0)
      const saved: Saved[] = []
      for (const entry of entries) {
        const known = await tx.one(faqByQuestion, { instanceId, folded: fold(entry.question) })
        if (known !== undefined) {
          const after = await change(tx, instanceId, known, { answer: entry.answer })
          saved.push(after === known ? 'unchanged' : 'updated')
        } else if (room > 0) {
          room--
          await insert(tx, place, entry)
          saved.push('created')
        } else saved.push('too_many')
      }
      return saved
    },
  }
}

/** @throws ApiError invalid_state */
async function requireRoom(tx: Tx, instanceId: string): Promise<void> {
  const { count = 0 } = (await tx.one(faqCount, { instanceId })) ?? {}
  if (count < LIMITS.aiFaqEntries) return
  throw new ApiError(
    'invalid_state',
    `This instance already has ${LIMITS.aiFaqEntries} FAQ entries, which is the most. Delete one first.`,
  ).because('faq_full', { n: LIMITS.aiFaqEntries })
}

const toEntry = ({ id, question, answer, enabled, createdAtMs, updatedAtMs }: FaqRow): FaqEntry => ({
  ...{ id, question, answer, enabled: enabled === 1 },
  ...{ created_at: isoTime(createdAtMs), updated_at: isoTime(updatedAtMs) },
})
