import type { KeyedProvider } from '../../contract/ai.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { dueIn } from '../../kernel/due.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Jobs } from '../../kernel/jobs.ts'
import type { Log } from '../../kernel/log.ts'
import type { AiProviders } from '../ai-providers/index.ts'
import type { Item, Knowledge } from './knowledge-index.ts'
import { removeVector, saveVector, vectorsAfter } from './vector-store.ts'

interface VectorsDeps {
  readonly clock: Clock
  readonly db: Db
  readonly jobs: Jobs
  readonly log: Log
  readonly providers: Pick<AiProviders, 'embed'>
  readonly knowledge: (instanceId: string) => Promise<Knowledge>
  readonly onChange: (tx: Tx, instanceId: string) => void
}

interface EmbedInput {
  readonly instanceId: string
  readonly accountId: AccountId
  readonly provider: KeyedProvider
}

/** Number of items in one request to a provider; the next run takes the next ones. */
const ITEMS_AT_ONCE = 256
const STORED_AT_ONCE = 64
const KNOWN_AT_MOST = 10_000

/** Makes vectors of an instance's knowledge if its agent's provider has an embedding model. */
export function createVectors({ clock, db, jobs, log, providers, knowledge, onChange }: VectorsDeps) {
  /** Instances that a job is working on, or whose provider has no such model. */
  const settled = new Set<string>()

  async function missing(instanceId: string): Promise<{ items: Item[]; stale: string[]; model: string | null }> {
    const { items, vectorModel } = await knowledge(instanceId)
    const rows = await db.read(vectorsAfter, { instanceId, after: '', rows: KNOWN_AT_MOST })
    const known = new Map(rows.map(({ ref, hash, model }) => [ref, { hash, model }]))
    const wanted = [...items.values()].filter(({ ref, hash }) => known.get(ref)?.hash !== hash)
    return { items: wanted, stale: [...known.keys()].filter((ref) => !items.has(ref)), model: vectorModel }
  }

  const making = jobs.define<EmbedInput, { readonly left: boolean }>({
    name: 'ai-knowledge.embed',
    perLane: 1,
    concurrency: 2,
    deadlineMs: 180_000,
    retryDelaysMs: [30_000, 300_000],
    async act({ input }, signal) {
      const { instanceId } = input
      const { items, stale, model } = await missing(instanceId)
      const now = items.slice(0, ITEMS_AT_ONCE)
      const made =
        now.length === 0
          ? undefined
          : await providers.embed(
              input,
              now.map(({ embedded }) => embedded),
              signal,
            )
      await db.commit(async (tx) => {
        for (const ref of stale) await tx.run(removeVector, { instanceId, ref })
      })
      if (made === undefined) return { left: false }
      if (model !== null && model !== made.model) {
        // All vectors are from another model and are made again.
        const rows = await db.read(vectorsAfter, { instanceId, after: '', rows: KNOWN_AT_MOST })
        await db.commit(async (tx) => {
          for (const { ref } of rows) await tx.run(removeVector, { instanceId, ref })
          onChange(tx, instanceId)
        })
      }
      for (let from = 0; from < now.length; from += STORED_AT_ONCE) {
        await db.commit(async (tx) => {
          for (const [at, { ref, hash }] of now.slice(from, from + STORED_AT_ONCE).entries()) {
            const floats = made.vectors[from + at]
            if (floats === undefined) continue
            const vector = new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength)
            await tx.run(saveVector, { instanceId, ref, model: made.model, hash, vector })
          }
          onChange(tx, instanceId)
        })
      }
      return { left: items.length > now.length }
    },
    async record(_tx, _run, { left }) {
      return left ? { kind: 'again', at: dueIn(clock, 0) } : { kind: 'done' }
    },
  })

  return {
    /** The vector of a question. undefined: the search uses words only. */
    async ofQuestion(input: EmbedInput, { vectorModel }: Knowledge, question: string, signal?: AbortSignal) {
      if (vectorModel === null) return undefined
      try {
        const made = await providers.embed(input, [question], signal)
        return made?.model === vectorModel ? made.vectors[0] : undefined
      } catch (error) {
        log.info({ event: 'ai.embedding_failed', reason: error instanceof Error ? error.name : 'unknown' })
        return undefined
      }
    },

    /** Makes missing vectors in the background. */
    async complete(input: EmbedInput, { withoutVector }: Knowledge): Promise<void> {
      const { instanceId, accountId, provider } = input
      if (withoutVector === 0 || provider === 'anthropic' || provider === 'openrouter' || settled.has(instanceId))
        return
      settled.add(instanceId)
      await db.commit(async (tx) => {
        await making.add(tx, { accountId, subjectId: instanceId, input })
      })
    },
    /** Called when the knowledge of an instance has changed. */
    reconsider: (instanceId: string) => void settled.delete(instanceId),
  }
}
