import type { AnswerSource } from '../../contract/ai-conversation.ts'
import type { Provider } from '../../contract/ai.ts'
import type { Notice } from '../../contract/notice.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { DocumentReader } from '../../kernel/documents/index.ts'
import type { Files } from '../../kernel/files.ts'
import type { AccountId, Ids } from '../../kernel/ids.ts'
import type { Jobs } from '../../kernel/jobs.ts'
import type { Log } from '../../kernel/log.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import type { Cursors } from '../../kernel/page.ts'
import type { MovePerson } from '../../kernel/person-move.ts'
import type { AiProviders } from '../ai-providers/index.ts'
import type { Instances } from '../instances/index.ts'
import { createDocuments, type Documents } from './documents.ts'
import { rehomeDocuments, removeDocumentsOf, removePassagesOf } from './document-store.ts'
import { createFaq, type Faq } from './faq.ts'
import { createFaqImport } from './faq-import.ts'
import { rehomeFaq, removeFaqOf } from './faq-store.ts'
import { createKnowledgeIndex } from './knowledge-index.ts'
import { createUnanswered } from './unanswered.ts'
import { rehomeUnanswered, removeUnansweredOf, renameUnansweredChat } from './unanswered-store.ts'
import { createVectors } from './vectors.ts'
import { removeVectorsOf } from './vector-store.ts'

export interface AiKnowledgeDeps {
  readonly db: Db
  readonly clock: Clock
  readonly ids: Pick<Ids, 'uuid'>
  readonly cursors: Cursors
  readonly files: Files
  readonly jobs: Jobs
  readonly log: Log
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
  readonly instances: Pick<Instances, 'subscribe' | 'subject'>
  readonly providers: Pick<AiProviders, 'embed'>
  readonly documents: Pick<DocumentReader, 'read'>
}

/** The account, instance and provider of a request. */
interface Asker {
  readonly instanceId: string
  readonly accountId: AccountId
  /** The agent's provider; its vectors are used if it makes any. */
  readonly provider: Provider
}

/** What was found for a question. */
interface Finding {
  /** Best first; `excerpt` is the whole answer or passage. */
  readonly sources: readonly AnswerSource[]
  /** Whether the first source may be sent as the answer, without a model. */
  readonly isSure: boolean
  readonly confidence: number
}

export interface AiKnowledge {
  readonly faq: Faq
  readonly importFaq: ReturnType<typeof createFaqImport>
  readonly documents: Documents
  readonly unanswered: ReturnType<typeof createUnanswered>
  readonly movePerson: MovePerson
  search(asker: Asker, question: string, options?: { limit?: number; signal?: AbortSignal }): Promise<Finding>
  /** Counts an unanswered question, in the caller's commit. */
  noteUnanswered(
    tx: Tx,
    place: { readonly instanceId: string; readonly accountId: AccountId },
    asked: { readonly chat: string; readonly question: string },
  ): Promise<void>
}

const LIMIT = 5

export function createAiKnowledge(deps: AiKnowledgeDeps): AiKnowledge {
  const { db, instances, live } = deps
  const knowledge = createKnowledgeIndex({ db })
  const dropIndex = (tx: Tx, instanceId: string) => tx.afterCommit(() => knowledge.drop(instanceId))
  const vectors = createVectors({ ...deps, knowledge: knowledge.get, onChange: dropIndex })
  const onChange = (tx: Tx, instanceId: string) =>
    tx.afterCommit(() => {
      knowledge.drop(instanceId)
      vectors.reconsider(instanceId)
    })
  const onRead = (accountId: AccountId, instanceId: string) =>
    live.publish(accountId, { topic: 'ai', instance_id: instanceId })
  const faq = createFaq({ ...deps, onChange })
  const documents = createDocuments({ ...deps, onChange, onRead })
  const unanswered = createUnanswered({ ...deps, faq })

  instances.subscribe(async (tx, change) => {
    const { kind, id: instanceId } = change
    if (kind === 'transferred') {
      await documents.rehomeFiles(tx, instanceId, change.to)
      for (const statement of [rehomeFaq, rehomeDocuments, rehomeUnanswered])
        await tx.run(statement, { instanceId, accountId: change.to })
    }
    if (kind !== 'deleted') return
    await documents.removeFiles(tx, instanceId)
    const statements = [removeFaqOf, removePassagesOf, removeDocumentsOf, removeVectorsOf, removeUnansweredOf]
    for (const statement of statements) await tx.run(statement, { instanceId })
    onChange(tx, instanceId)
  })

  return {
    faq,
    importFaq: createFaqImport({ ...deps, faq }),
    documents,
    unanswered,
    noteUnanswered: unanswered.note,
    async movePerson(tx, { instanceId, from, to }) {
      await tx.run(renameUnansweredChat, { instanceId, from, to })
    },
    async search({ instanceId, accountId, provider }, question, { limit = LIMIT, signal } = {}) {
      const known = await knowledge.get(instanceId)
      const embedder = provider === 'builtin' ? undefined : { instanceId, accountId, provider }
      const vector = embedder && (await vectors.ofQuestion(embedder, known, question, signal))
      if (embedder) await vectors.complete(embedder, known)
      const found = known.index.search(question, { limit, ...(vector && { vector }) })
      const sources = found.hits.flatMap(({ id: ref, score }): AnswerSource[] => {
        const item = known.items.get(ref)
        if (item === undefined) return []
        return [{ kind: item.kind, id: item.id, title: item.title, excerpt: item.text, score }]
      })
      return { sources, isSure: found.decision === 'answer', confidence: found.confidence }
    },
  }
}
