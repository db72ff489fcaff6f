import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import type { EventOf, Ledger } from '../../kernel/ledger.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import type { MovePerson } from '../../kernel/person-move.ts'
import { personKey } from '../../kernel/phone-number.ts'
import type { EventData } from '../../contract/events.ts'
import type { MessageContent } from '../../contract/message-content.ts'
import type { Notice } from '../../contract/notice.ts'
import type { EngineSignal } from '../../engines/engine.ts'
import type { Instances } from '../instances/index.ts'
import type { OptOutSource } from './contract.ts'
import { foldKeyword } from './keywords.ts'
import { createMove } from './move.ts'
import { createQuestions, type OptOutQuestion, type Questions } from './questions.ts'
import { createSettings, type OptOutSettings } from './settings.ts'
import {
  insertOptOut,
  optOutOf,
  optOutsOfNumber,
  optOutsPage,
  removeOptOut,
  rehomeOptOuts,
  removeOptOutsOfInstance,
  scopesOfNumbers,
  WHOLE_ACCOUNT,
  type OptOut,
  type OptOutChange,
} from './store.ts'

export type { OptOut, OptOutChange } from './store.ts'
export { deciderOf } from './decider.ts'
export { WHOLE_ACCOUNT } from './store.ts'

/** Either the caller's commit, or `{ all: db.read, one: db.readOne }`. */
export type Reader = Pick<Tx, 'all' | 'one'>

interface NewOptOut {
  readonly accountId: AccountId
  /** Digits with country code, or the id of a person who hides their number. */
  readonly phone: string
  /** An instance, or null for the whole account. */
  readonly instanceId: InstanceId | null
  readonly source: OptOutSource
  readonly note: string | null
  /** The message it came from, and the instance of that message. */
  readonly message?: { readonly id: string; readonly instanceId: InstanceId } | undefined
  /** Time of the decision, if it is not now. */
  readonly atMs?: number | undefined
}

/** Opt-out state of a contact, for the list of chats. */
interface Consent {
  readonly isOptedOut: boolean
  /** A possible opt-out that a person must decide. */
  readonly question: OptOutQuestion | undefined
}

type OptOutListener = (tx: Tx, change: OptOutChange) => Promise<void>

export interface OptOutsDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly ledger: Pick<Ledger, 'inCommit'>
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
  readonly instances: Pick<Instances, 'subscribe' | 'owned'>
}

export interface OptOuts {
  /** Whether this instance must not write to the number in a campaign. */
  isOptedOut(read: Reader, accountId: AccountId, instanceId: InstanceId, phone: string): Promise<boolean>
  /** When the number opted out, for this instance or the whole account; null: it has not. */
  optedOutAt(read: Reader, accountId: AccountId, instanceId: InstanceId, phone: string): Promise<number | null>
  /** Whether a message asks for no more messages. Earlier requests of the person do not matter. */
  isStopWord(read: Reader, accountId: AccountId, text: string): Promise<boolean>
  /** The given numbers that at least one of these instances must not write to. */
  optedOutOf(
    read: Reader,
    accountId: AccountId,
    instanceIds: readonly string[],
    phones: readonly string[],
  ): Promise<ReadonlySet<string>>
  /** Opt-out states of chats of one instance, by chat. */
  consentOf(
    accountId: AccountId,
    instanceId: InstanceId,
    chats: readonly string[],
  ): Promise<ReadonlyMap<string, Consent>>
  readonly questions: Pick<Questions, 'page' | 'retention'>
  /**
   * A person decides what a message meant.
   * @param source of the opt-out; null: the message meant something else.
   * @returns false if the message has no open question.
   */
  answer(
    question: Pick<OptOutQuestion, 'chat' | 'messageId'> & {
      readonly accountId: AccountId
      readonly instanceId: InstanceId
    },
    optOut: Pick<NewOptOut, 'source' | 'instanceId'> | null,
  ): Promise<boolean>
  /** A person turned marketing messages of an official number off or on in the app. */
  onMarketing(instanceId: InstanceId, signal: MarketingSignal): Promise<void>
  /** Opts a number out in the caller's commit. @returns the opt-out, and whether it is new. */
  record(tx: Tx, optOut: NewOptOut): Promise<{ readonly optOut: OptOut; readonly isNew: boolean }>
  /** Lifts opt-outs of a number in the caller's commit. @returns how many. */
  lift(tx: Tx, accountId: AccountId, phone: string, mayLift?: (optOut: OptOut) => boolean): Promise<number>
  /**
   * The instance moved to another account. People who opted out of the whole old account stay opted out for this
   * number.
   */
  carryOver(tx: Tx, from: AccountId, to: AccountId, instanceId: InstanceId, numbers: readonly string[]): Promise<void>
  readonly movePerson: MovePerson
  /** Called in the commit that opts out a number that was not opted out before. */
  onOptOut(listener: OptOutListener): void
  /** The same when an opt-out is lifted. */
  onLifted(listener: OptOutListener): void
  /** The default country for numbers without a country code; null: they are refused. */
  country(accountId: AccountId): Promise<string | null>
  readonly settings: OptOutSettings
  /** Newest first. */
  page(accountId: AccountId, query: { beforeSeq: number; rows: number }): Promise<readonly OptOut[]>
  ofNumber(accountId: AccountId, phone: string): Promise<readonly OptOut[]>
}

type MarketingSignal = Extract<EngineSignal, { kind: 'marketing' }>

/** Title of the button that Meta adds to marketing messages. */
const STANDARD_STOP = 'STOP PROMOTIONS'

/** @param buttons titles and ids declared by the account, case-folded. */
function isStopButton(content: MessageContent, buttons: ReadonlySet<string>): boolean {
  if (content.type !== 'button_reply' && content.type !== 'list_reply') return false
  const [title, id] = [foldKeyword(content.title), foldKeyword(content.id ?? '')]
  return buttons.has(title) || buttons.has(id) || (content.type === 'button_reply' && title === STANDARD_STOP)
}

/** Meta's code for a person who stopped marketing messages of a number. */
const STOPPED_MARKETING = 131_050

export function createOptOuts({ db, clock, ledger, live, instances }: OptOutsDeps): OptOuts {
  const settings = createSettings(db)
  const onOptOut: OptOutListener[] = []
  const onLifted: OptOutListener[] = []
  const outside: Reader = { all: db.read, one: db.readOne }
  const questions = createQuestions({ db, clock, live })
  const changed = (tx: Tx, accountId: AccountId) => tx.afterCommit(() => live.publish(accountId, { topic: 'opt-outs' }))

  const record: OptOuts['record'] = async (tx, given) => {
    const { accountId, phone, instanceId, source, note, message } = given
    const number = personKey(phone)
    const scope = instanceId ?? WHOLE_ACCOUNT
    await questions.end(tx, accountId, phone, scope)
    const known = await tx.one(optOutOf, { accountId, number, scope })
    if (known !== undefined) return { optOut: known, isNew: false }
    const atMs = Math.min(given.atMs ?? Infinity, clock.now())
    const from = { messageId: message?.id ?? null, messageInstance: message?.instanceId ?? null }
    const optOut: OptOut = { seq: await tx.next('opt_outs'), phone, scope, source, note, ...from, createdAtMs: atMs }
    await tx.run(insertOptOut, { ...optOut, accountId, number })
    for (const listener of onOptOut) await listener(tx, { accountId, phone, instanceId, source, atMs })
    changed(tx, accountId)
    return { optOut, isNew: true }
  }

  const lift: OptOuts['lift'] = async (tx, accountId, phone, mayLift = () => true) => {
    const number = personKey(phone)
    const found = (await tx.all(optOutsOfNumber, { accountId, number })).filter(mayLift)
    for (const { scope, source } of found) {
      await tx.run(removeOptOut, { accountId, number, scope })
      const instanceId = scope === WHOLE_ACCOUNT ? null : (scope as InstanceId)
      for (const listener of onLifted) await listener(tx, { accountId, phone, instanceId, source, atMs: clock.now() })
    }
    if (found.length > 0) changed(tx, accountId)
    return found.length
  }

  const meaningOf = async (tx: Tx, accountId: AccountId, { text, content }: EventData['message.received']) => {
    if (content === null) return (await settings.keywords(tx, accountId)).find(text)
    return isStopButton(content, await settings.buttons(tx, accountId)) ? 'button' : undefined
  }

  /**
   * A keyword opts out of the whole account, because otherwise a campaign would continue from its next number. A
   * keyword lifts only opt-outs made by a keyword. A tap on a button is a menu choice unless the button is declared
   * to opt out.
   */
  const onMessage = async (tx: Tx, event: EventOf<'message.received'>) => {
    const { accountId, instanceId, data } = event
    if (data.from_me || data.is_group || data.type !== 'text') return
    const meaning = await meaningOf(tx, accountId, data)
    const { from: phone, message_id: messageId } = data
    if (meaning === 'stop' || meaning === 'button') {
      const source = meaning === 'stop' ? 'keyword' : 'button'
      const message = { id: messageId, instanceId }
      await record(tx, { accountId, phone, instanceId: null, source, note: data.text.trim(), message })
    }
    if (meaning === 'maybe' && !(await isOptedOut(tx, accountId, instanceId, phone)))
      await questions.ask(tx, { accountId, instanceId, chat: data.chat, messageId, text: data.text })
    if (meaning !== 'start') return
    await questions.end(tx, accountId, phone, WHOLE_ACCOUNT)
    const isOwn = (scope: string) => scope === WHOLE_ACCOUNT || scope === instanceId
    await lift(tx, accountId, phone, ({ scope, source }) => source === 'keyword' && isOwn(scope))
  }

  ledger.inCommit({ phase: 'record', on: ['message.received'], run: onMessage })
  ledger.inCommit({
    phase: 'record',
    on: ['message.failed'],
    run: async (tx, { accountId, instanceId, data }) => {
      if (data.error.provider_code !== STOPPED_MARKETING) return
      const message = { id: data.message_id, instanceId }
      await record(tx, { accountId, phone: data.to, instanceId, source: 'meta', note: null, message })
    },
  })
  instances.subscribe(async (tx, change) => {
    if (change.kind === 'deleted') {
      await tx.run(removeOptOutsOfInstance, { scope: change.id })
      await questions.instanceDeleted(tx, change.id)
    }
    if (change.kind === 'transferred') {
      await tx.run(rehomeOptOuts, { scope: change.id, to: change.to })
      await questions.instanceTransferred(tx, change.id, change.to)
    }
  })

  const optedOutOf: OptOuts['optedOutOf'] = async (read, accountId, instanceIds, phones) => {
    const scopes = new Set([WHOLE_ACCOUNT, ...instanceIds])
    const numbers = [...new Set(phones.map(personKey))]
    const turns = await scopesOfNumbers.over(numbers, { accountId }, (statement, params) => read.all(statement, params))
    const found = new Set(turns.flat().flatMap(({ number, scope }) => (scopes.has(scope) ? [number] : [])))
    return new Set(phones.filter((phone) => found.has(personKey(phone))))
  }

  const isOptedOut: OptOuts['isOptedOut'] = async (read, accountId, instanceId, phone) =>
    (await optedOutOf(read, accountId, [instanceId], [phone])).size > 0

  const moveOptOuts = createMove({
    async publish(tx, change) {
      for (const listener of onOptOut) await listener(tx, change)
    },
    changed,
  })

  return {
    isOptedOut,
    questions,
    async consentOf(accountId, instanceId, chats) {
      const optedOut = await optedOutOf(outside, accountId, [instanceId], chats)
      const asked = await questions.ofChats(instanceId, chats)
      return new Map(
        chats.map((chat) => [chat, { isOptedOut: optedOut.has(chat), question: asked.get(personKey(chat)) }]),
      )
    },
    answer: ({ accountId, instanceId, chat, messageId }, optOut) =>
      db.commit(async (tx) => {
        const question = await questions.find(tx, instanceId, chat, messageId)
        if (question === undefined) return false
        if (optOut === null) {
          await questions.dismiss(tx, question)
          return true
        }
        const message = { id: messageId, instanceId }
        await record(tx, { ...optOut, accountId, phone: question.chat, note: question.text.trim(), message })
        return true
      }),
    onMarketing: (instanceId, { person: phone, wants, atMs }) =>
      db.commit(async (tx) => {
        const owner = await instances.owned(instanceId, tx)
        if (owner === undefined) return
        const { accountId } = owner.subject
        if (!wants) {
          await record(tx, { accountId, phone, instanceId, source: 'meta', note: null, atMs })
          return
        }
        // Meta repeats undelivered reports, so an older report may come after a newer one.
        const isOver = ({ source, scope, createdAtMs }: OptOut) =>
          source === 'meta' && scope === instanceId && createdAtMs <= atMs
        await lift(tx, accountId, phone, isOver)
      }),
    async optedOutAt(read, accountId, instanceId, phone) {
      const all = await read.all(optOutsOfNumber, { accountId, number: personKey(phone) })
      const found = all.filter(({ scope }) => scope === WHOLE_ACCOUNT || scope === instanceId)
      return found.length === 0 ? null : Math.max(...found.map(({ createdAtMs }) => createdAtMs))
    },
    isStopWord: async (read, accountId, text) => (await settings.keywords(read, accountId)).find(text) === 'stop',
    optedOutOf,
    record,
    lift,
    async carryOver(tx, from, to, instanceId, numbers) {
      for (const number of numbers) {
        const known = await tx.one(optOutOf, { accountId: from, number, scope: WHOLE_ACCOUNT })
        if (known === undefined) continue
        const seq = await tx.next('opt_outs')
        await tx.run(insertOptOut, { ...known, seq, accountId: to, number, scope: instanceId })
      }
      changed(tx, to)
    },
    async movePerson(tx, move) {
      const { accountId, instanceId, to } = move
      await moveOptOuts(tx, move)
      await questions.move(tx, move)
      for (const scope of [WHOLE_ACCOUNT, instanceId])
        if ((await tx.one(optOutOf, { accountId, number: personKey(to), scope })) !== undefined)
          await questions.end(tx, accountId, to, scope)
    },
    onOptOut: (listener) => void onOptOut.push(listener),
    onLifted: (listener) => void onLifted.push(listener),
    country: settings.country,
    settings,
    page: (accountId, { beforeSeq, rows }) => db.read(optOutsPage, { accountId, before: beforeSeq, rows }),
    ofNumber: (accountId, phone) => outside.all(optOutsOfNumber, { accountId, number: personKey(phone) }),
  }
}
