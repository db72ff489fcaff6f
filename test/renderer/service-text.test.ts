import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CONTRACTS } from '../../main/capabilities/contracts.ts'

/**
 * Sentences of the service are in English and for developers: the window has its own, by code. These are fields of answers
 * that hold such sentences; a field that describes itself as one and is not here fails the test below.
 */
const SENTENCES = [
  ...['message', 'sentence', 'warnings', 'troubles', 'unavailable_message', 'last_error', 'failure'],
  ...['problem', 'notice', 'error', 'text', 'detail', 'description'],
]

interface Place {
  readonly file: string
  readonly shown: RegExp
  readonly why: string
}

/** Where a view shows one all the same. */
const SHOWN: readonly Place[] = [
  {
    ...{ file: 'rooms/ai/EvaluationRun.vue', shown: /OriginalText[^>]*shown\.error/ },
    why: 'quoted below a sentence of the window: the provider of the model may have said it',
  },
  {
    ...{ file: 'rooms/webhooks/AttemptTimeline.vue', shown: /OriginalText[^>]*attempt\.error/ },
    why: 'quoted below the outcome: the error of the connection, with its code, for the developer of the receiver',
  },
  {
    ...{ file: 'rooms/voice/CheckCard.vue', shown: /:text="check\.message"/ },
    why: 'quoted below a sentence of the window: what the other server said',
  },
  {
    ...{ file: 'rooms/billing/ClientBilling.vue', shown: /OriginalText[^>]*\.error/ },
    why: 'quoted: what Stripe said of the terms',
  },
  {
    ...{ file: 'rooms/crm/ConnectionFacts.vue', shown: /original: isOpen \? error\.message/ },
    why: 'quoted below a sentence of the window: what the CRM said',
  },
  {
    ...{ file: 'rooms/settings/BackupList.vue', shown: /OriginalText[^>]*restored\.problem/ },
    why: 'quoted below a sentence of the window: paths and sizes, for the owner of the computer',
  },
  {
    ...{ file: 'rooms/settings/VaultFacts.vue', shown: /(OriginalText|ServiceNotice)[^>]*vault\.(problem|notice)/ },
    why: 'as above',
  },
  {
    ...{ file: 'rooms/assistants/CallFacts.vue', shown: /record\.sentence/ },
    why: 'of a call that an earlier version asked about: its facts were not kept one by one',
  },
]

const FOLDER = new URL('../../renderer/', import.meta.url)
const sources = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(ts|vue)$/.test(file))
  .map((file) => ({ file, text: readFileSync(new URL(file, FOLDER), 'utf8') }))

/** Of an error or a record: `problem.message`, `trouble.value?.message`, `record.error.message`. */
const MESSAGE =
  /\b(error|problem|refusal|trouble|failure|outcome|reason|issue|check|first|missing\[0\]\??|value\??)\??\.(message|sentence)\b/g
/** `const { message } = asProblem(error)`, `({ code, message }: HealthIssue) =>`. */
const TAKEN_OUT =
  /\{[^{}]*\b(message|sentence|warnings|troubles)\b[^{}]*\}(?= = asProblem|: \w*(Issue|Problem|Risk|Check|Missing|Notice)\w*\)|\) =>)/g

/** What a template shows of a record: `{{ document.error }}`, `:title="vault.notice"`. */
const TEMPLATE =
  /(?:\{\{|(?:title|description|text|label|help|aria-label)=")[^"}(]*\b(?!t\()\w+(?:\.\w+)*\??\.(error|sentence|notice|last_error|failure|warning)\b[^"}(]*(?:\}\}|")/g

function shownIn({ file, text }: { readonly file: string; readonly text: string }): string[] {
  const template = file.endsWith('.vue') ? text.slice(text.indexOf('<template>')) : ''
  return [...text.matchAll(MESSAGE), ...text.matchAll(TAKEN_OUT), ...template.matchAll(TEMPLATE)]
    .map(([found]) => found)
    .filter((found) => !isKey(found))
}

/** `t('webhooks.detail.error')` names words of the window. */
const isKey = (found: string): boolean => /\bt\(/.test(found)

/** Where a problem is made, and no view. */
const MAKERS = ['app/problem.ts', 'app/api.ts']

test('no view shows a sentence of the service unless it is quoted', () => {
  const shown = sources
    .filter(({ file }) => !MAKERS.includes(file))
    .flatMap((source) => shownIn(source).map((found) => ({ file: source.file, found })))
  const stray = shown.filter(({ file, found }) => {
    const allowed = SHOWN.filter((place) => place.file === file)
    return !allowed.some(({ shown: pattern }) => pattern.test(found) || pattern.test(lineOf(file, found)))
  })
  expect(stray).toEqual([])
})

const lineOf = (file: string, found: string): string =>
  sources
    .find((source) => source.file === file)
    ?.text.split('\n')
    .filter((line) => line.includes(found))
    .join('\n') ?? ''

test.each(SHOWN)('the exception of $file is still needed', ({ file, shown }) => {
  expect(sources.find((source) => source.file === file)?.text).toMatch(shown)
})

interface Schema {
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

/** A text that says what is wrong or what to do is a sentence of the service. */
const IS_SENTENCE =
  /^(why|what (is wrong|went wrong|is missing|is so|it means|will happen)|a sentence|the same as a sentence)\b/i

function sentencesIn(schema: Schema | null | undefined, name = ''): string[] {
  if (schema === null || schema === undefined) return []
  const { type, description = '', properties = {}, items, anyOf = [] } = schema
  const own = type === 'string' && !('enum' in schema) && IS_SENTENCE.test(description) ? [name] : []
  return [
    ...own,
    ...Object.entries(properties).flatMap(([field, each]) => sentencesIn(each, field)),
    ...[items, ...anyOf].flatMap((each) => sentencesIn(each, name)),
  ]
}

test('this test covers every field with a sentence', () => {
  const found = CONTRACTS.flatMap(({ operations }) =>
    Object.values(operations).flatMap(({ reply }) => sentencesIn(reply.schema)),
  )
  expect(found).toContain('message')
  // Their values are codes.
  const names = new Set(found.filter((name) => name !== 'reason' && name !== 'code'))
  expect([...names].filter((name) => !SENTENCES.includes(name))).toEqual([])
})
