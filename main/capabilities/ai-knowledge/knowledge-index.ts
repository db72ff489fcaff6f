import { createHash } from 'node:crypto'
import type { Db } from '../../kernel/db.ts'
import { buildSearchIndex, type SearchEntry, type SearchIndex } from '../../kernel/search/index.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import { passagesAfter } from './document-store.ts'
import { faqPage } from './faq-store.ts'
import { vectorsAfter } from './vector-store.ts'

/** A searchable FAQ entry or passage. */
export interface Item {
  readonly ref: string
  readonly kind: 'faq' | 'document'
  /** Id of the FAQ entry or the document. */
  readonly id: string
  readonly title: string
  /** For a passage: the name of its document and the headings above it. */
  readonly headings: readonly string[]
  /** The answer or the passage. */
  readonly text: string
  /** The text from which the vector is made. */
  readonly embedded: string
  readonly hash: string
}

/** Everything that the agents of an instance know. */
export interface Knowledge {
  readonly index: SearchIndex
  readonly items: ReadonlyMap<string, Item>
  /** The model of the vectors; null: there are none. */
  readonly vectorModel: string | null
  /** Number of items without a vector of their current text. */
  readonly withoutVector: number
}

/** Number of indexes in memory; the others are rebuilt when needed. */
const INSTANCES_KEPT = 200
const READ_AT_ONCE = 500
/** How often the index is rebuilt because something was saved meanwhile. After that, an answer may miss that change. */
const TRIES = 3

/** The search index of an instance, built on first use after a change. */
export function createKnowledgeIndex({ db }: { readonly db: Pick<Db, 'read'> }) {
  const built = new Map<string, Promise<Knowledge>>()
  const generations = new Map<string, number>()

  async function build(instanceId: string): Promise<Knowledge> {
    for (let tries = 1; ; tries++) {
      const generation = generations.get(instanceId)
      const items = [...(await faqItems(instanceId)), ...(await passageItems(instanceId))]
      const vectors = await vectorsOf(instanceId)
      if (generations.get(instanceId) === generation || tries === TRIES) return assemble(items, vectors)
    }
  }

  async function faqItems(instanceId: string): Promise<Item[]> {
    const items: Item[] = []
    for (let before = Number.MAX_SAFE_INTEGER; ;) {
      const rows = await db.read(faqPage, { instanceId, before, rows: READ_AT_ONCE })
      for (const { id, question, answer, enabled } of rows)
        if (enabled === 1)
          items.push(
            itemOf({
              ref: `faq:${id}`,
              kind: 'faq',
              id,
              title: question,
              headings: [],
              text: answer,
              embedded: `${question}\n${answer}`,
            }),
          )
      const last = rows.at(-1)
      if (last === undefined || rows.length < READ_AT_ONCE) return items
      before = last.seq
      await yieldToEventLoop()
    }
  }

  async function passageItems(instanceId: string): Promise<Item[]> {
    const items: Item[] = []
    for (let after = { afterSeq: 0, afterPosition: -1 }; ;) {
      const rows = await db.read(passagesAfter, { instanceId, ...after, rows: READ_AT_ONCE })
      for (const { documentId: id, position, name, place, text } of rows) {
        const title = place === '' ? name : `${name}, ${place}`
        const headings = headingsOf(name, place)
        const embedded = [...headings, text].join('\n')
        items.push(itemOf({ ref: `doc:${id}:${position}`, kind: 'document', id, title, headings, text, embedded }))
      }
      const last = rows.at(-1)
      if (last === undefined || rows.length < READ_AT_ONCE) return items
      after = { afterSeq: last.documentSeq, afterPosition: last.position }
      await yieldToEventLoop()
    }
  }

  async function vectorsOf(instanceId: string) {
    const found = new Map<string, { readonly model: string; readonly hash: string; readonly vector: Float32Array }>()
    for (let after = ''; ;) {
      const rows = await db.read(vectorsAfter, { instanceId, after, rows: READ_AT_ONCE })
      for (const { ref, model, hash, vector } of rows) found.set(ref, { model, hash, vector: toFloats(vector) })
      const last = rows.at(-1)
      if (last === undefined || rows.length < READ_AT_ONCE) return found
      after = last.ref
      await yieldToEventLoop()
    }
  }

  return {
    get(instanceId: string): Promise<Knowledge> {
      const known = built.get(instanceId)
      if (known !== undefined) {
        // Evicts the least recently used first.
        built.delete(instanceId)
        built.set(instanceId, known)
        return known
      }
      const fresh = build(instanceId)
      built.set(instanceId, fresh)
      fresh.catch(() => built.delete(instanceId))
      for (const [oldest] of built) {
        if (built.size <= INSTANCES_KEPT) break
        built.delete(oldest)
      }
      return fresh
    },
    /** Called after a commit that changed searchable content. */
    drop(instanceId: string): void {
      generations.set(instanceId, (generations.get(instanceId) ?? 0) + 1)
      built.delete(instanceId)
    },
  }
}

async function assemble(
  items: readonly Item[],
  vectors: ReadonlyMap<string, { readonly model: string; readonly hash: string; readonly vector: Float32Array }>,
): Promise<Knowledge> {
  // The provider may have changed, and vectors of two models cannot be compared.
  const [first] = vectors.values()
  const vectorModel = first?.model ?? null
  let withoutVector = 0
  const entries = items.map((item): SearchEntry => {
    const found = vectors.get(item.ref)
    const isFresh = found?.hash === item.hash && found.model === vectorModel
    if (!isFresh) withoutVector++
    const vector = isFresh ? { vector: found.vector } : {}
    return item.kind === 'faq'
      ? { id: item.ref, question: item.title, answer: item.text, ...vector }
      : { id: item.ref, text: item.text, headings: item.headings, ...vector }
  })
  const byRef = new Map(items.map((item) => [item.ref, item]))
  return { index: await buildSearchIndex(entries), items: byRef, vectorModel, withoutVector }
}

/** Splits a location such as `Delivery › Abroad, p. 3` into headings, and removes the file extension from a name. */
const headingsOf = (name: string, place: string): string[] => {
  const path = place.replace(/(?:^|, )p\. \d+$/, '')
  return [name.replace(/\.[a-z]{2,8}$/i, ''), ...(path === '' ? [] : path.split(' › '))]
}

const itemOf = (item: Omit<Item, 'hash'>): Item => ({
  ...item,
  hash: createHash('sha256').update(item.embedded).digest('base64url').slice(0, 22),
})

/** Copies the bytes, because those of a row may not be aligned for floats. */
const toFloats = (bytes: Uint8Array): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer)
