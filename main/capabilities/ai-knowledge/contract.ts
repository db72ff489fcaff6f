import { Type, type Static } from 'typebox'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, CSV_TYPES, List, Nullable, PageSize, Timestamp, Uuid } from '../../contract/shapes.ts'

const Question = Type.String({
  minLength: 1,
  maxLength: LIMITS.aiQuestionLength,
  examples: ['What are your opening hours?'],
})
const Answer = Type.String({
  minLength: 1,
  maxLength: LIMITS.aiAnswerLength,
  examples: ['Monday to Friday, 8 am to 6 pm.'],
})
const Enabled = Type.Boolean({ description: 'false: the agent does not use it.' })

const FaqEntry = Type.Object({
  id: Uuid,
  question: Question,
  answer: Answer,
  enabled: Enabled,
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type FaqEntry = Static<typeof FaqEntry>

export const CreateFaqBody = Body({ question: Question, answer: Answer, enabled: Type.Optional(Enabled) })
export type CreateFaqBody = Static<typeof CreateFaqBody>

export const UpdateFaqBody = Body({
  question: Type.Optional(Question),
  answer: Type.Optional(Answer),
  enabled: Type.Optional(Enabled),
})
export type UpdateFaqBody = Static<typeof UpdateFaqBody>

const FaqImport = Type.Object({
  rows: Type.Integer({ description: 'Rows of the file, without the header.' }),
  created: Type.Integer(),
  updated: Type.Integer({ description: 'The question existed, and has the new answer.' }),
  unchanged: Type.Integer({ description: 'Existed with the same answer, or repeat an earlier row.' }),
  invalid: Type.Integer(),
  problems: Type.Array(
    Type.Object({
      line: Type.Integer({ description: 'Of the file, from 1.' }),
      reason: Type.Enum(['missing_question', 'missing_answer', 'question_too_long', 'answer_too_long', 'too_many']),
    }),
    { description: `The first ${LIMITS.importProblems}.` },
  ),
})
export type FaqImport = Static<typeof FaqImport>

/** @public */
export const DOCUMENT_TYPES = [
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'text/markdown',
  'text/plain',
] as const

/** Why a document could not be read. */
const DOCUMENT_ERRORS = [
  ...(['encrypted', 'old_word', 'scanned', 'empty', 'broken', 'too_long', 'too_much_memory', 'too_slow'] as const),
  ...(['too_large', 'unknown_type', 'file_missing', 'not_read'] as const),
] as const
export type DocumentErrorCode = (typeof DOCUMENT_ERRORS)[number]

const Document = Type.Object({
  id: Uuid,
  name: Type.String(),
  mime_type: Type.String(),
  size: Type.Integer({ description: 'Bytes.' }),
  status: Type.Enum(['processing', 'ready', 'failed']),
  error: Nullable(Type.String({ description: 'Why it failed, and what to do.' })),
  error_code: Nullable(Type.Enum([...DOCUMENT_ERRORS], { description: 'The same, for programs.' })),
  passages: Type.Integer({ description: 'The parts that answers are found in.' }),
  created_at: Timestamp,
})
export type Document = Static<typeof Document>

const UnansweredQuestion = Type.Object({
  id: Uuid,
  question: Type.String({ description: 'As it was asked last.' }),
  status: Type.Enum(['open', 'answered', 'dismissed']),
  times: Type.Integer({ minimum: 1, description: 'How often it was asked.' }),
  phone: Type.String({ description: 'The chat in which it was asked last.' }),
  faq_id: Nullable(Uuid),
  first_asked_at: Timestamp,
  last_asked_at: Timestamp,
})
export type UnansweredQuestion = Static<typeof UnansweredQuestion>

const AT = '2026-03-01T09:30:00.000Z'
const FAQ_EXAMPLE = {
  id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b61',
  question: 'What are your opening hours?',
  answer: 'Monday to Friday, 8 am to 6 pm.',
  enabled: true,
  created_at: AT,
  updated_at: AT,
}
const DOCUMENT_EXAMPLE = {
  id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b62',
  name: 'Price list.pdf',
  mime_type: 'application/pdf',
  size: 48_213,
  status: 'ready',
  error: null,
  error_code: null,
  passages: 12,
  created_at: AT,
} as const
const QUESTION_EXAMPLE = {
  id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b63',
  question: 'Do you deliver on Sundays?',
  status: 'open',
  times: 3,
  phone: '12025550123',
  faq_id: null,
  first_asked_at: AT,
  last_asked_at: AT,
} as const

const paging = {
  limit: Type.Optional(PageSize),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
}
const common = { reach: 'instance', origin: 'ours' } as const
const reads = { ...common, scope: 'ai:read' } as const
const writes = { ...common, scope: 'ai:write' } as const
const inWindow = { audience: 'console', role: 'member', tool: null } as const
const face = { onRequest: true } as const

export const aiKnowledgeContract = {
  listFaq: operation({
    ...reads,
    id: 'listFaq',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/ai/faq',
    summary: 'List FAQ entries',
    description: 'Questions and answers that the agents of this instance use. Newest first; with `q`, by what matches.',
    query: Type.Object({
      q: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Words of the question or answer.' })),
      ...paging,
    }),
    reply: { status: 200, description: 'A page of entries.', schema: List(FaqEntry) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [FAQ_EXAMPLE], next_cursor: null, has_more: false } },
    tool: { ...face, name: 'list_faq', title: 'List FAQ entries', idempotent: true },
  }),

  createFaq: operation({
    ...writes,
    id: 'createFaq',
    effects: ['people_later'],
    method: 'POST',
    path: '/v1/instances/{id}/ai/faq',
    summary: 'Add an FAQ entry',
    description: `Adds a question with its answer. An instance has at most ${LIMITS.aiFaqEntries}.`,
    origin: 'spec',
    body: CreateFaqBody,
    reply: { status: 201, description: 'The new entry.', schema: FaqEntry },
    errors: ['invalid_state'],
    examples: { body: { question: FAQ_EXAMPLE.question, answer: FAQ_EXAMPLE.answer }, reply: FAQ_EXAMPLE },
    tool: { ...face, name: 'create_faq', title: 'Add an FAQ entry', idempotent: false },
  }),

  getFaq: operation({
    ...reads,
    id: 'getFaq',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/ai/faq/{faq_id}',
    summary: 'Read an FAQ entry',
    description: 'A question with the answer that agents give to it.',
    reply: { status: 200, description: 'The entry.', schema: FaqEntry },
    errors: [],
    examples: { reply: FAQ_EXAMPLE },
    tool: { ...face, name: 'get_faq', title: 'Read an FAQ entry', idempotent: true },
  }),

  updateFaq: operation({
    ...writes,
    id: 'updateFaq',
    effects: ['people_later'],
    method: 'PATCH',
    path: '/v1/instances/{id}/ai/faq/{faq_id}',
    summary: 'Change an FAQ entry',
    description: 'Changes the fields that are given. Agents use the new answer immediately.',
    body: UpdateFaqBody,
    reply: { status: 200, description: 'The updated entry.', schema: FaqEntry },
    errors: [],
    examples: { body: { answer: 'Monday to Saturday, 8 am to 6 pm.' }, reply: FAQ_EXAMPLE },
    tool: { ...face, name: 'update_faq', title: 'Change an FAQ entry', idempotent: true },
  }),

  deleteFaq: operation({
    ...writes,
    id: 'deleteFaq',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/instances/{id}/ai/faq/{faq_id}',
    summary: 'Delete an FAQ entry',
    description: 'Deletes the entry. The agents no longer use it.',
    reply: { status: 204, description: 'Deleted.', schema: null },
    errors: [],
    examples: {},
    tool: { ...face, name: 'delete_faq', title: 'Delete an FAQ entry', idempotent: true },
  }),

  importFaq: operation({
    ...writes,
    id: 'importFaq',
    effects: ['people_later'],
    method: 'POST',
    path: '/v1/instances/{id}/ai/faq-imports',
    summary: 'Import FAQ entries',
    description:
      'Adds an entry for each row of a CSV file, separated by comma, semicolon or tab. Its first line names the columns: ' +
      '`question` and `answer`, or `pergunta` and `resposta`, or `pregunta` and `respuesta`. A question that exists gets ' +
      'the new answer. Rows that cannot be used are in `problems`; the others are imported.',
    bodyFile: { types: CSV_TYPES, maxBytes: LIMITS.importBytes },
    reply: { status: 200, description: 'What was imported.', schema: FaqImport },
    errors: ['storage_full'],
    examples: {
      reply: {
        ...{ rows: 3, created: 2, updated: 0, unchanged: 0, invalid: 1 },
        problems: [{ line: 4, reason: 'missing_answer' }],
      },
    },
    // A tool call cannot carry a file.
    tool: null,
  }),

  listDocuments: operation({
    ...reads,
    ...inWindow,
    id: 'listDocuments',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/ai/documents',
    summary: 'List documents',
    description: 'Files that the agents of this instance find answers in. Newest first.',
    query: Type.Object(paging),
    reply: { status: 200, description: 'A page of documents.', schema: List(Document) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [DOCUMENT_EXAMPLE], next_cursor: null, has_more: false } },
  }),

  uploadDocument: operation({
    ...writes,
    ...inWindow,
    id: 'uploadDocument',
    effects: ['people_later'],
    method: 'POST',
    path: '/v1/instances/{id}/ai/documents',
    summary: 'Add a document',
    description:
      'A PDF, Word (DOCX), Markdown or text file of up to 20 MB. Its text is read in the background; the document is ' +
      '`processing` until then.',
    query: Type.Object({
      name: Type.String({ minLength: 1, maxLength: LIMITS.filenameLength, description: 'The name of the file.' }),
    }),
    bodyFile: { types: [...DOCUMENT_TYPES, 'application/octet-stream'], maxBytes: LIMITS.aiDocumentBytes },
    reply: { status: 201, description: 'The document, still being read.', schema: Document },
    errors: ['invalid_state', 'storage_full'],
    examples: { reply: { ...DOCUMENT_EXAMPLE, status: 'processing', passages: 0 } },
  }),

  deleteDocument: operation({
    ...writes,
    ...inWindow,
    id: 'deleteDocument',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/instances/{id}/ai/documents/{document_id}',
    summary: 'Delete a document',
    description: 'Deletes the file and its text. The agents no longer use it.',
    reply: { status: 204, description: 'Deleted.', schema: null },
    errors: [],
    examples: {},
  }),

  listUnansweredQuestions: operation({
    ...reads,
    ...inWindow,
    id: 'listUnansweredQuestions',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/ai/unanswered-questions',
    summary: 'List unanswered questions',
    description:
      'Questions from chats that the agent had no answer to. Equal ones are counted as one. The most recent first.',
    query: Type.Object({
      status: Type.Optional(Type.Enum(['open', 'answered', 'dismissed'], { description: 'Default: `open`.' })),
      ...paging,
    }),
    reply: { status: 200, description: 'A page of questions.', schema: List(UnansweredQuestion) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [QUESTION_EXAMPLE], next_cursor: null, has_more: false } },
  }),

  answerQuestion: operation({
    ...writes,
    ...inWindow,
    id: 'answerQuestion',
    effects: ['people_later'],
    method: 'POST',
    path: '/v1/instances/{id}/ai/unanswered-questions/{question_id}/answer',
    summary: 'Answer an unanswered question',
    description: 'Adds an FAQ entry and closes the question. Nobody is written to.',
    body: Body({ answer: Answer, question: Type.Optional(Question) }),
    reply: { status: 200, description: 'The question, answered.', schema: UnansweredQuestion },
    errors: ['invalid_state'],
    examples: {
      body: { answer: 'Yes, from 10 am to 2 pm.' },
      reply: { ...QUESTION_EXAMPLE, status: 'answered', faq_id: FAQ_EXAMPLE.id },
    },
  }),

  dismissQuestion: operation({
    ...writes,
    ...inWindow,
    id: 'dismissQuestion',
    effects: [],
    method: 'POST',
    path: '/v1/instances/{id}/ai/unanswered-questions/{question_id}/dismiss',
    summary: 'Dismiss an unanswered question',
    description: 'It is no longer listed as open, also if it is asked again.',
    reply: { status: 200, description: 'The question, dismissed.', schema: UnansweredQuestion },
    errors: [],
    examples: { reply: { ...QUESTION_EXAMPLE, status: 'dismissed' } },
  }),
} as const satisfies Contract
