import type { Existence, Handlers, InstanceSubject } from '../handler.ts'
import type { Principal } from '../../kernel/access.ts'
import type { aiKnowledgeContract } from './contract.ts'
import type { AiKnowledge } from './index.ts'

const placeOf = ({ id, accountId }: InstanceSubject) => ({ instanceId: id, accountId })

export function aiKnowledgeHandlers({
  faq,
  importFaq,
  documents,
  unanswered,
}: AiKnowledge): Handlers<typeof aiKnowledgeContract> {
  return {
    listFaq: ({ instance, query }) => faq.list(instance.id, query),
    createFaq: ({ instance, body }) => faq.create(placeOf(instance), body),
    getFaq: ({ instance, params }) => faq.get(instance.id, params.faq_id),
    updateFaq: ({ instance, params, body }) => faq.update(instance.id, params.faq_id, body),
    async deleteFaq({ instance, params }) {
      await faq.remove(instance.id, params.faq_id)
      return undefined
    },
    importFaq: ({ instance, body }) => importFaq(placeOf(instance), body),
    listDocuments: ({ instance, query }) => documents.list(instance.id, query),
    uploadDocument: ({ instance, query, body }) => documents.upload(placeOf(instance), query.name, body),
    async deleteDocument({ instance, params }) {
      await documents.remove(placeOf(instance), params.document_id)
      return undefined
    },
    listUnansweredQuestions: ({ instance, query }) => unanswered.list(instance.id, query),
    answerQuestion: ({ instance, params, body }) => unanswered.answer(placeOf(instance), params.question_id, body),
    dismissQuestion: ({ instance, params }) => unanswered.dismiss(instance.id, params.question_id),
  }
}

export function aiKnowledgeExistence({
  faq,
  documents,
  unanswered,
}: AiKnowledge): Existence<typeof aiKnowledgeContract> {
  const entry = (_: Principal, { id, faq_id: faqId }: { readonly id: string; readonly faq_id: string }) =>
    faq.get(id, faqId)
  const question = (_: Principal, params: { readonly id: string; readonly question_id: string }) =>
    unanswered.find(params.id, params.question_id)
  return {
    getFaq: entry,
    updateFaq: entry,
    deleteFaq: entry,
    deleteDocument: (_, params) => documents.find(params.id, params.document_id),
    answerQuestion: question,
    dismissQuestion: question,
  }
}
