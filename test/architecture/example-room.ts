/**
 * The smallest room that uses everything a room may: a table, a job with progress, pause and resume, a notice, a line of
 * the overview, and a screen. Built into a copy of the project by example-room.slow.ts; it is no part of the product.
 */
export const EXAMPLE_FILES: Readonly<Record<string, string>> = {
  'main/capabilities/notes/contract.ts': `import { Type, type Static } from 'typebox'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, List } from '../../contract/shapes.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    notes: true
  }
}

const Note = Type.Object({ id: Type.String({ pattern: '^not_' }), text: Type.String(), words: Type.Integer() })
export type NoteRecord = Static<typeof Note>

const consoleOperation = {
  scope: null,
  reach: 'account',
  origin: 'ours',
  audience: 'console',
  role: 'member',
  tool: null,
} as const

const EXAMPLE = { id: 'not_01KJM8R2B5K7M9P1Q3S5T7V9X0', text: 'Call the bakery back', words: 4 }

export const notesContract = {
  createNote: operation({
    ...consoleOperation,
    id: 'createNote',
    effects: [],
    method: 'POST',
    path: '/v1/notes',
    summary: 'Create a note',
    description: 'Keeps a note. Its words are counted later.',
    body: Body({ text: Type.String({ minLength: 1, maxLength: 500 }) }),
    reply: { status: 201, description: 'The note.', schema: Note },
    errors: [],
    examples: { body: { text: 'Call the bakery back' }, reply: { ...EXAMPLE, words: 0 } },
  }),
  listNotes: operation({
    ...consoleOperation,
    id: 'listNotes',
    effects: [],
    method: 'GET',
    path: '/v1/notes',
    summary: 'List notes',
    description: 'The newest 100 notes of the account, newest first.',
    reply: { status: 200, description: 'The notes.', schema: Type.Object({ data: Type.Array(Note) }) },
    errors: [],
    examples: { reply: { data: [EXAMPLE] } },
  }),
  pauseNotes: operation({
    ...consoleOperation,
    id: 'pauseNotes',
    effects: [],
    method: 'POST',
    path: '/v1/notes/pause',
    summary: 'Pause counting',
    description: 'Notes are kept, and their words are counted once counting is resumed.',
    body: Body({ paused: Type.Boolean() }),
    reply: { status: 204, description: 'Paused or resumed.', schema: null },
    errors: [],
    examples: { body: { paused: true } },
  }),
} as const satisfies Contract
`.replace('import { Body, List }', 'import { Body }'),
  'main/capabilities/notes/store.ts': `import { sql } from '../../kernel/sql.ts'

export interface NoteRow {
  readonly seq: number
  readonly id: string
  readonly text: string
  readonly words: number
}

export const insertNote = sql<{ seq: number; id: string; accountId: string; text: string }>(
  'INSERT INTO notes (seq, id, account_id, text, words) VALUES (:seq, :id, :accountId, :text, 0)',
)
export const saveWords = sql<{ id: string; words: number }>('UPDATE notes SET words = :words WHERE id = :id')
export const notesOf = sql<{ accountId: string; limit: number }, NoteRow>(
  'SELECT seq, id, text, words FROM notes WHERE account_id = :accountId ORDER BY seq DESC LIMIT :limit',
)
`,
  'main/capabilities/notes/index.ts': `import type { Notice } from '../../contract/notice.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId, Ids } from '../../kernel/ids.ts'
import type { Jobs } from '../../kernel/jobs.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import { insertNote, notesOf, saveWords, type NoteRow } from './store.ts'

export interface NotesDeps {
  readonly db: Db
  readonly ids: Pick<Ids, 'tagged'>
  readonly jobs: Jobs
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
}

export type Notes = ReturnType<typeof createNotes>

/** Notes of an account; their words are counted by a job. */
export function createNotes({ db, ids, jobs, live }: NotesDeps) {
  const counting = jobs.define<{ id: string; accountId: AccountId; text: string }, number>({
    name: 'notes.count',
    ...{ perLane: 1, concurrency: 4, deadlineMs: 5_000, retryDelaysMs: [1_000] },
    async act(run) {
      run.report({ counted: 0 })
      return run.input.text.split(/\\s+/).length
    },
    async record(tx, { input }, words) {
      await tx.run(saveWords, { id: input.id, words })
      tx.afterCommit(() => live.publish(input.accountId, { topic: 'notes' }))
      return { kind: 'done' }
    },
  })
  return {
    create: (accountId: AccountId, text: string): Promise<Omit<NoteRow, 'seq'>> =>
      db.commit(async (tx) => {
        const id = ids.tagged('not')
        await tx.run(insertNote, { seq: await tx.next('notes'), id, accountId, text })
        await counting.add(tx, { accountId, subjectId: accountId, input: { id, accountId, text } })
        return { id, text, words: 0 }
      }),
    list: (accountId: AccountId) => db.read(notesOf, { accountId, limit: 100 }),
    pause: (accountId: AccountId, isPaused: boolean) =>
      db.commit((tx) => (isPaused ? counting.pause(tx, accountId) : counting.resume(tx, accountId))),
    waiting: async (accountId: AccountId) => (await counting.findSubject(accountId))?.waiting ?? 0,
  }
}
`,
  'main/capabilities/notes/handlers.ts': `import type { Handlers } from '../handler.ts'
import type { notesContract } from './contract.ts'
import type { Notes } from './index.ts'

export function notesHandlers(notes: Notes): Handlers<typeof notesContract> {
  return {
    createNote: ({ principal, body }) => notes.create(principal.accountId, body.text),
    listNotes: async ({ principal }) => ({
      data: (await notes.list(principal.accountId)).map(({ id, text, words }) => ({ id, text, words })),
    }),
    async pauseNotes({ principal, body }) {
      await notes.pause(principal.accountId, body.paused)
      return undefined
    },
  }
}
`,
  'main/capabilities/notes/room.ts': `import { defineRoom } from '../room.ts'
import { notesContract } from './contract.ts'
import { notesHandlers } from './handlers.ts'
import { createNotes, type NotesDeps } from './index.ts'

export const notesRoom = defineRoom({
  name: 'notes',
  contract: notesContract,
  uses: {},
  build(deps: NotesDeps) {
    const notes = createNotes(deps)
    return {
      handlers: notesHandlers(notes),
      api: notes,
      async attention({ accountId }) {
        const count = await notes.waiting(accountId as Parameters<typeof notes.waiting>[0])
        return count === 0
          ? []
          : [{ code: 'waiting', severity: 'warning', count, subject: null, sinceMs: null, text: null }]
      },
    }
  },
})
`,
  'main/storage/migrations/999-notes.ts': `import type { Migration } from '../migrate.ts'

/** Notes of an account. */
export const notes: Migration = {
  version: 999,
  name: 'notes',
  sql: \`
CREATE TABLE notes (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL,
  text TEXT NOT NULL,
  words INTEGER NOT NULL
) STRICT;
CREATE INDEX notes_of_account ON notes (account_id, seq);
\`,
}
`,
  'renderer/rooms/notes/entry.ts': `import type { RoomEntries } from '../../app/entries.ts'

export default {
  entries: [{ words: 'notes.title', group: 'top', order: 9, path: '/notes', icon: 'i-lucide-inbox' }],
} satisfies RoomEntries
`,
  'renderer/rooms/notes/routes.ts': `import type { RouteRecordRaw } from 'vue-router'

export default [
  { path: '/notes', component: () => import('./NotesScreen.vue') },
] satisfies readonly RouteRecordRaw[]
`,
  'renderer/rooms/notes/NotesScreen.vue': `<script setup lang="ts">
import { useI18n } from 'vue-i18n'
import ScreenFrame from '../../parts/ScreenFrame.vue'

const { t } = useI18n()
</script>

<template>
  <ScreenFrame :title="t('notes.title')" />
</template>
`,
  'test/notes.config.ts': `import { defineConfig } from 'vitest/config'
import { base } from './config/base.ts'

export default defineConfig({
  root: base.root,
  test: { ...base.test, globalSetup: [], include: ['test/**/*.test.ts'], exclude: ['**/node_modules/**', '**/toolchain.test.ts'] },
})
`,
  'test/notes.test.ts': `import { expect, test } from 'vitest'
import { signedIn } from './support/panel.ts'
import { builtConsole } from './support/panel.ts'
import { world } from './support/world.ts'

test('a note is counted by its job, and not while counting is paused', async () => {
  const w = await world({ consoleFolder: builtConsole() })
  const browser = await signedIn(w)
  const notes = async () => (await browser.ask('GET', '/panel/v1/notes')).body.data.map(({ words }: { words: number }) => words)
  const settle = async () => {
    for (let i = 0; i < 10; i++) await w.clock.advance(1_000)
  }
  expect((await browser.ask('POST', '/panel/v1/notes', { text: 'Call the bakery back' })).status).toBe(201)
  await settle()
  expect(await notes()).toEqual([4])
  await browser.ask('POST', '/panel/v1/notes/pause', { paused: true })
  await browser.ask('POST', '/panel/v1/notes', { text: 'Later' })
  await settle()
  expect(await notes()).toEqual([0, 4])
  const { data } = (await browser.ask('GET', '/panel/v1/overview/attention')).body
  expect(data).toEqual([expect.objectContaining({ room: 'notes', code: 'waiting', count: 1 })])
  await browser.ask('POST', '/panel/v1/notes/pause', { paused: false })
  await settle()
  expect(await notes()).toEqual([1, 4])
  await w.close()
})
`,
}

/** Lines added to files outside, each before a text that occurs once. */
export const EXAMPLE_LINES: Readonly<Record<string, readonly { readonly before: string; readonly line: string }[]>> = {
  'main/capabilities/contracts.ts': [
    {
      before: "import { overviewContract } from './overview/contract.ts'",
      line: "import { notesContract } from './notes/contract.ts'\n",
    },
    {
      before: "  { room: 'overview', operations: overviewContract },",
      line: "  { room: 'notes', operations: notesContract, topics: ['notes'] },\n",
    },
  ],
  'main/capabilities/rooms.ts': [
    {
      before: "import { numberChecksRoom } from './number-checks/room.ts'",
      line: "import { notesRoom } from './notes/room.ts'\n",
    },
    { before: '  overviewRoom,\n]', line: '  notesRoom,\n' },
  ],
  'main/contract/job-kinds.ts': [
    { before: "  'sandbox.stripe_callback': 'kept',", line: "  'notes.count': 'restored',\n" },
  ],
  'main/storage/migrations/index.ts': [
    { before: '/** Every step of the schema, in order. */', line: "import { notes } from './999-notes.ts'\n\n" },
    { before: '\n]', line: '\n  notes,' },
  ],
  'main/storage/table-rules.ts': [{ before: "    ...['messages', 'message_reactions'", line: "    'notes',\n" }],
  'main/README.md': [
    {
      before: '| `overview/`  ',
      line: '| `notes/`            | What does somebody want to remember?                                    |\n',
    },
  ],
}
