import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import { sql } from '../../kernel/sql.ts'
import { templateContent, type TemplateContent } from '../template-content.ts'
import { recordOf, recordsIn } from '../template-text.ts'
import type { Template } from '../templates.ts'
import { callerOf } from './graph-caller.ts'
import { templateSent } from './interactive-content.ts'
import type { Json } from './json.ts'
import { isUsable, type ConnectedNumber } from './numbers.ts'
import type { Transport } from './transport.ts'

interface Owner {
  readonly accountId: AccountId
  readonly wabaId: string
}
interface TemplateName {
  readonly name: string
  readonly language: string
}
interface Words extends TemplateName {
  readonly category: string
  /** JSON. */
  readonly components: string
  readonly notedAtMs: number
}

const COLUMNS = 'name, language, category, components, noted_at AS notedAtMs'

const one = sql<Owner & TemplateName, Words>(
  `SELECT ${COLUMNS} FROM official_template_words
   WHERE account_id = :accountId AND waba_id = :wabaId AND name = :name AND language = :language`,
)
const keep = sql<Owner & Words>(
  `INSERT INTO official_template_words (account_id, waba_id, name, language, category, components, noted_at)
   VALUES (:accountId, :wabaId, :name, :language, :category, :components, :notedAtMs)
   ON CONFLICT (account_id, waba_id, name, language) DO UPDATE SET category = excluded.category,
     components = excluded.components, noted_at = excluded.noted_at`,
)
const drop = sql<Owner & TemplateName>(
  `DELETE FROM official_template_words
   WHERE account_id = :accountId AND waba_id = :wabaId AND name = :name AND language = :language`,
)
const prune = sql<{ accountId: AccountId; before: number }>(
  'DELETE FROM official_template_words WHERE account_id = :accountId AND noted_at < :before',
)

const HOUR_MS = 60 * 60_000
/** Callbacks report changes, unless the app at Meta is not subscribed to them. */
const ASK_AGAIN_MS = HOUR_MS
const RETRY_MS = 10 * 60_000
const KEEP_MS = 90 * 24 * HOUR_MS
const MOST_ASKED = 500
const NAME = /^[a-z0-9_]{1,512}$/
/** Limit of translations that are read for a template. */
const PAGE = 100

type Seen = Pick<Template, 'name' | 'language' | 'category' | 'components'>

interface WordsDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly transport: Pick<Transport, 'templates'>
}

export type TemplateWordsStore = ReturnType<typeof createTemplateWords>

/**
 * The texts of templates as last read from Meta. A message is stored with its text before it is sent, and no send
 * waits for Meta: an unknown template is requested in the background, for later messages.
 */
export function createTemplateWords({ db, clock, log, transport }: WordsDeps) {
  /** By the name of the template. */
  const asking = new Map<string, Promise<void>>()
  /** When each was last requested. */
  const askedAt = new Map<string, number>()

  async function note({ accountId, wabaId }: Owner, seen: readonly Seen[]): Promise<void> {
    const now = clock.now()
    const changed: Words[] = []
    for (const { name, language, category, components } of seen) {
      const words = { name, language, category, components: JSON.stringify(components.map(shownPart)), notedAtMs: now }
      const before = await db.readOne(one, { accountId, wabaId, name, language })
      if (before === undefined || isOld(before) || !isSame(before, words)) changed.push(words)
    }
    if (changed.length === 0) return
    await db.commit(async (tx) => {
      await tx.run(prune, { accountId, before: now - KEEP_MS })
      for (const words of changed) await tx.run(keep, { accountId, wabaId, ...words })
    })
  }

  const isOld = ({ notedAtMs }: Words) => Math.abs(clock.now() - notedAtMs) > ASK_AGAIN_MS

  async function forget({ accountId, wabaId }: Owner, { name, language }: TemplateName): Promise<void> {
    await db.commit((tx) => tx.run(drop, { accountId, wabaId, name, language }))
  }

  async function ask(number: ConnectedNumber, { name, language }: TemplateName): Promise<void> {
    const { wabaId, instanceId } = number
    const speaker = callerOf(number)
    if (!isUsable(number) || speaker === undefined) return
    const found = await transport.templates(speaker, wabaId, { limit: PAGE, after: null, name })
    if (found.kind !== 'ok') return log.info({ event: 'official.template_not_read', instanceId, kind: found.kind })
    const mine = found.value.templates.filter((each) => each.name === name)
    await note(number, mine)
    if (!mine.some((each) => each.language === language)) await forget(number, { name, language })
  }

  const keyOf = ({ accountId, wabaId }: Owner, { name, language }: TemplateName) =>
    JSON.stringify([accountId, wabaId, name, language])

  /** Asks Meta in the background, once at a time, because Meta reports a change to each number of the business. */
  function learn(number: ConnectedNumber, template: TemplateName): void {
    const key = keyOf(number, template)
    if (asking.has(key)) return
    const running = ask(number, template).catch((error: unknown) => {
      log.warn({ event: 'official.template_not_kept', instanceId: number.instanceId, cause: cause(error) })
    })
    asking.set(key, running)
    void running.finally(() => asking.delete(key))
  }

  /** A campaign sends the same template to many people, so Meta is asked only once. */
  function learnLater(number: ConnectedNumber, template: TemplateName): void {
    if (!NAME.test(template.name)) return
    const key = keyOf(number, template)
    const now = clock.now()
    for (const [asked, atMs] of askedAt) if (Math.abs(now - atMs) > RETRY_MS) askedAt.delete(asked)
    if (askedAt.has(key) || askedAt.size >= MOST_ASKED) return
    askedAt.set(key, now)
    learn(number, template)
  }

  return {
    note,
    learn,
    forget,
    async contentOf(number: ConnectedNumber, payload: object): Promise<TemplateContent | null> {
      const sent = templateSent(payload)
      if (sent === null) return null
      const { accountId, wabaId } = number
      const words = await db.readOne(one, { accountId, wabaId, name: sent.name, language: sent.language })
      if (words === undefined || isOld(words)) learnLater(number, sent)
      if (words === undefined) return null
      const { category, components } = words
      return templateContent(sent, { category, components: JSON.parse(components) as object[] })
    },
    /** Resolves when no request to Meta is running. */
    async settled(): Promise<void> {
      await Promise.allSettled([...asking.values()])
    },
  }
}

const isSame = (one: Words, other: Words): boolean =>
  one.category === other.category && one.components === other.components

/** Without examples, which are not shown to people. */
function shownPart(component: object): Json {
  const { type, format, text, buttons, cards } = recordOf(component)
  return {
    ...{ type, format, text },
    ...(buttons !== undefined && { buttons: recordsIn(buttons).map(shownButton) }),
    ...(cards !== undefined && {
      cards: recordsIn(cards).map((card) => ({ components: recordsIn(card['components']).map(shownPart) })),
    }),
  }
}

const shownButton = ({ type, text, url }: Json): Json => ({ type, text, url })
