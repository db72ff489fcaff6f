import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import type { Ledger, LedgerEvent } from '../../kernel/ledger.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import type { MovePerson } from '../../kernel/person-move.ts'
import { personKey } from '../../kernel/phone-number.ts'
import type { MessageContent } from '../../contract/message-content.ts'
import type { Notice } from '../../contract/notice.ts'
import type { Instances } from '../instances/index.ts'
import type { OptOutSource } from './contract.ts'
import { foldKeyword } from './keywords.ts'
import { createMove } from './move.ts'
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
}

type OptOutListener = (tx: Tx, change: OptOutChange) => Promise<void>

export interface OptOutsDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly ledger: Pick<Ledger, 'inCommit'>
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
  readonly instances: Pick<Instances, 'subscribe'>
}

export interface OptOuts {
  /** Whether this instance must not write to the number in a campaign. */
  isOptedOut(read: Reader, accountId: AccountId, instanceId: InstanceId, phone: string): Promise<boolean>
  /** When the number opted out, for this instance or the whole account; null: it has not. */
  optedOutAt(read: Reader, accountId: AccountId, instanceId: InstanceId, phone: string): Promise<number | null>
  /** Whether a message asks for no more messages, whatever the person has asked for before. */
  isStopWord(read: Reader, accountId: AccountId, text: string): Promise<boolean>
  /** Those of the numbers, as they were given, that at least one of these instances must not write to. */
  optedOutOf(
    read: Reader,
    accountId: AccountId,
    instanceIds: readonly string[],
    phones: readonly string[],
  ): Promise<ReadonlySet<string>>
  /** Opts a number out in the caller's commit. @returns the opt-out, and whether it is new. */
  record(tx: Tx, optOut: NewOptOut): Promise<{ readonly optOut: OptOut; readonly isNew: boolean }>
  /** Lifts opt-outs of a number in the caller's commit. @returns how many there were. */
  lift(
    tx: Tx,
    accountId: AccountId,
    phone: string,
    mayLift?: (scope: string, source: OptOutSource) => boolean,
  ): Promise<number>
  /**
   * The instance went to another account. Who had opted out of the whole old account still wants nothing from this number.
   */
  carryOver(tx: Tx, from: AccountId, to: AccountId, instanceId: InstanceId, numbers: readonly string[]): Promise<void>
  readonly movePerson: MovePerson
  /** Called in the commit in which a number is opted out that was not. */
  onOptOut(listener: OptOutListener): void
  /** The same when an opt-out is lifted. */
  onLifted(listener: OptOutListener): void
  /** Of numbers that are written without a country code; null: they must have one. */
  country(accountId: AccountId): Promise<string | null>
  readonly settings: OptOutSettings
  /** Newest first. */
  page(accountId: AccountId, query: { beforeSeq: number; rows: number }): Promise<readonly OptOut[]>
  ofNumber(accountId: AccountId, phone: string): Promise<readonly OptOut[]>
}

/** The button that Meta puts under marketing messages. */
const STANDARD_STOP = 'STOP PROMOTIONS'
const isStandardStop = (content: MessageContent): boolean =>
  content.type === 'button_reply' && foldKeyword(content.title) === STANDARD_STOP

/** Meta's code for a person who stopped marketing messages of a number. */
const STOPPED_MARKETING = 131_050

export function createOptOuts({ db, clock, ledger, live, instances }: OptOutsDeps): OptOuts {
  const settings = createSettings(db)
  const onOptOut: OptOutListener[] = []
  const onLifted: OptOutListener[] = []
  const outside: Reader = { all: db.read, one: db.readOne }
  const changed = (tx: Tx, accountId: AccountId) => tx.afterCommit(() => live.publish(accountId, { topic: 'opt-outs' }))

  const record: OptOuts['record'] = async (tx, { accountId, phone, instanceId, source, note }) => {
    const number = personKey(phone)
    const scope = instanceId ?? WHOLE_ACCOUNT
    const known = await tx.one(optOutOf, { accountId, number, scope })
    if (known !== undefined) return { optOut: known, isNew: false }
    const atMs = clock.now()
    const optOut: OptOut = { seq: await tx.next('opt_outs'), phone, scope, source, note, createdAtMs: atMs }
    await tx.run(insertOptOut, { ...optOut, accountId, number })
    for (const listener of onOptOut) await listener(tx, { accountId, phone, instanceId, source, atMs })
    changed(tx, accountId)
    return { optOut, isNew: true }
  }

  const lift: OptOuts['lift'] = async (tx, accountId, phone, mayLift = () => true) => {
    const number = personKey(phone)
    const found = (await tx.all(optOutsOfNumber, { accountId, number })).filter(({ scope, source }) =>
      mayLift(scope, source),
    )
    for (const { scope, source } of found) {
      await tx.run(removeOptOut, { accountId, number, scope })
      const instanceId = scope === WHOLE_ACCOUNT ? null : (scope as InstanceId)
      for (const listener of onLifted) await listener(tx, { accountId, phone, instanceId, source, atMs: clock.now() })
    }
    if (found.length > 0) changed(tx, accountId)
    return found.length
  }

  /**
   * A keyword opts out of the whole account: a campaign would only write from its next number. It lifts nothing but what
   * a keyword did. A tap on a button is a choice from a menu, not a request to stop.
   */
  const onMessage = async (tx: Tx, event: LedgerEvent & { type: 'message.received' }) => {
    const { accountId, instanceId, data } = event
    if (data.from_me || data.is_group || data.type !== 'text') return
    if (data.content !== null && !isStandardStop(data.content)) return
    const word = (await settings.keywords(tx, accountId)).find(data.text)
    if (word === 'stop') {
      await record(tx, { accountId, phone: data.from, instanceId: null, source: 'keyword', note: data.text.trim() })
    }
    if (word === 'start')
      await lift(
        tx,
        accountId,
        data.from,
        (scope, source) => source === 'keyword' && (scope === WHOLE_ACCOUNT || scope === instanceId),
      )
  }

  ledger.inCommit(async (tx, event) => {
    if (event.type === 'message.received') return onMessage(tx, event)
    if (event.type !== 'message.failed' || event.data.error.provider_code !== STOPPED_MARKETING) return
    const { accountId, instanceId, data } = event
    await record(tx, { accountId, phone: data.to, instanceId, source: 'official', note: null })
  })
  instances.subscribe(async (tx, change) => {
    if (change.kind === 'deleted') await tx.run(removeOptOutsOfInstance, { scope: change.id })
    if (change.kind === 'transferred') await tx.run(rehomeOptOuts, { scope: change.id, to: change.to })
  })

  const optedOutOf: OptOuts['optedOutOf'] = async (read, accountId, instanceIds, phones) => {
    const scopes = new Set([WHOLE_ACCOUNT, ...instanceIds])
    const numbers = [...new Set(phones.map(personKey))]
    const turns = await scopesOfNumbers.over(numbers, { accountId }, (statement, params) => read.all(statement, params))
    const found = new Set(turns.flat().flatMap(({ number, scope }) => (scopes.has(scope) ? [number] : [])))
    return new Set(phones.filter((phone) => found.has(personKey(phone))))
  }

  return {
    isOptedOut: async (read, accountId, instanceId, phone) =>
      (await optedOutOf(read, accountId, [instanceId], [phone])).size > 0,
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
    movePerson: createMove({
      async publish(tx, change) {
        for (const listener of onOptOut) await listener(tx, change)
      },
      changed,
    }),
    onOptOut: (listener) => void onOptOut.push(listener),
    onLifted: (listener) => void onLifted.push(listener),
    country: settings.country,
    settings,
    page: (accountId, { beforeSeq, rows }) => db.read(optOutsPage, { accountId, before: beforeSeq, rows }),
    ofNumber: (accountId, phone) => outside.all(optOutsOfNumber, { accountId, number: personKey(phone) }),
  }
}
