import { createAppData, type AppData, type GraphAppData } from './app-data.ts'
import { createGraphContactBook } from './contact-book.ts'
import { createAssessments, type Assessments } from './assessments.ts'
import { createTemplateEvents, type GraphTemplates } from './template-events.ts'
import { createGraphCalls, type GraphCalls } from './calls.ts'
import { createPortfolios, type GraphRestriction } from './portfolios.ts'
import { createCountryLimits } from './country-limits.ts'
import { createPayments, type PaymentRefusal } from './payments.ts'
import { createPermissions } from './permissions.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { AccountId, Ids, InstanceId, Random } from '../../../kernel/ids.ts'
import type { Log } from '../../../kernel/log.ts'
import { createOutbound, type Resolve } from '../../../outbound/outbound.ts'
import type { EngineSignal } from '../../engine.ts'
import { networkId } from '../network-ids.ts'
import type { Content } from '../inbox.ts'
import type { SandboxNetwork } from '../network.ts'
import { inboundChange, numberChange, preferenceChange, statusChange, type GraphChange } from './callback-bodies.ts'
import { createCallbacks } from './callbacks.ts'
import { createGraphFaults, type GraphFaultKind } from './faults.ts'
import { createGraphFiles, toEngineInstance, numericId } from './files.ts'
import { createGraphNumbers } from './numbers.ts'
import { createGroupRoutes } from './group-routes.ts'
import { createConversationalRoutes } from './conversational-routes.ts'
import { createUsernameRoutes } from './username-routes.ts'
import { createMarketingStops } from './marketing.ts'
import { createRoutes } from './routes.ts'
import { createSending } from './send.ts'
import { createGraphUploads } from './uploads.ts'
import { createGraphServer } from './server.ts'
import { createSignups, type GraphApp } from './signups.ts'
import { noteEntry } from './prices.ts'
import { priceWith, pruneEntries, pruneSent, pruneUploaded, sentByWamid, type GraphNumber } from './store.ts'

export interface GraphDeps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly ids: Pick<Ids, 'instance' | 'message'>
  readonly network: SandboxNetwork
  readonly resolve: Resolve
}

/** The data that connects an instance of the service to a simulated number. */
interface GraphCredentials {
  readonly phoneNumberId: string
  readonly wabaId: string
  readonly portfolioId: string
  readonly number: string
  readonly accessToken: string
  readonly appSecret: string
}

interface GraphNumberOptions {
  readonly number: string
  readonly name?: string
  /** Default: a new business account. */
  readonly wabaId?: string
  /** Default: the one of the business account, or a new one. */
  readonly portfolioId?: string
  /** Limit of a new portfolio; null: Meta does not report one. */
  readonly messagingLimit?: string | null
  /** Default: the secret of the simulator's app. */
  readonly appSecret?: string
  readonly isRegistered?: boolean
}

/** Meta's Graph API on the sandbox network: an own listener on loopback, with Meta's paths, formats and errors. */
export interface GraphSimulator {
  /** The operator's app at the simulated Meta. */
  readonly app: GraphApp
  /** Base URL, without version and trailing slash. */
  url(): string
  listen(port: number): Promise<void>
  /** Makes the simulator unreachable until `listen`, which uses the same port again. */
  stopListening(): Promise<void>
  /** Gives a number of the network an account at the simulated Meta. */
  addNumber(accountId: AccountId, wish: GraphNumberOptions): Promise<GraphCredentials>
  has(accountId: AccountId, phoneNumberId: string): boolean
  cause(phoneNumberId: string, kind: GraphFaultKind, times: number): void
  killToken(phoneNumberId: string): Promise<void>
  /**
   * Meta's contact book of the number. `has`: whether the person is in it. `refuse`: makes it refuse to delete
   * people.
   */
  contactBook(phoneNumberId: string): { has(user: string): Promise<boolean>; refuse(): void }
  /**
   * Changes the limit of the number's portfolio, and sends callbacks. @param said how the callback writes the limit.
   */
  limit(phoneNumberId: string, messagingLimit: string | null, said?: string | number | null): Promise<void>
  /** Sends no callback: clients read `quality_rating`. */
  rate(phoneNumberId: string, quality: string): Promise<void>
  /** Restricts the business account of the number, and sends a callback. */
  restrict(phoneNumberId: string, restrictions: readonly GraphRestriction[]): Promise<void>
  /** Ends Meta's suspension of utility templates, and sends a callback. The templates stay marketing templates. */
  liftUtility(phoneNumberId: string): Promise<void>
  /** Expires the card of the number's business account. Only callbacks about messages show it. */
  expireCard(phoneNumberId: string, how: PaymentRefusal): void
  replaceCard(phoneNumberId: string): void
  /** Sets the countries to which the number's business account may not send. */
  forbidCountries(phoneNumberId: string, countries: readonly string[]): void
  hasPortfolio(accountId: AccountId, portfolioId: string): Promise<boolean>
  /** Unsubscribes the app from these webhook fields, as its owner can do at Meta. */
  unselectFields(fields: readonly string[]): void
  /** The code that Meta's signup returns through the browser after this number was chosen. */
  signUp(phoneNumberId: string): string
  /** The phones of simulated people. */
  readonly calls: Pick<GraphCalls, 'addPhone' | 'hangUp'>
  /** A person allows calls from the number, for seven days or permanently. */
  grantCalls(phoneNumberId: string, user: string, isPermanent: boolean): Promise<void>
  /** A person calls the number. @returns the id of the call. */
  callFrom(user: string, phoneNumberId: string, offer: string): Promise<string>
  /** A person changes their number; the new one may be hidden from businesses. */
  changeNumber(phoneNumberId: string, before: string, after: string): Promise<void>
  /** Approves the username of the number or takes it away, and sends a callback. */
  decideUsername(phoneNumberId: string, status: 'approved' | 'deleted'): Promise<void>
  /** Sets whether the business of the number may have groups. Default: yes. */
  allowGroups(phoneNumberId: string, isAllowed: boolean): void
  /** Sets whether the number is also used in the WhatsApp Business app (coexistence). */
  useApp(phoneNumberId: string, isUsed: boolean): void
  /** Data of the app on the number's phone, which Meta hands out once. */
  appData(phoneNumberId: string): OfNumber<Omit<GraphAppData, 'sync'>>
  /** Suspends a group or ends its suspension, and sends a callback. */
  suspendGroup(phoneNumberId: string, group: string, isSuspended: boolean): Promise<void>
  /** A person opens the invite link of a group. */
  joinGroup(phoneNumberId: string, group: string, user: string): Promise<'joined' | 'asked' | 'full'>
  /** A person turns marketing messages of the number off or on. */
  changeMarketing(phoneNumberId: string, user: string, value: 'stop' | 'resume'): Promise<void>
  /** Events of a template of the number's business account, by its id; each sends a callback. */
  templates(phoneNumberId: string): OfNumber<Omit<GraphTemplates, 'recategorizeUtility'>>
  /** Messages with a template that Meta holds back until it knows how people react to it. */
  readonly assessments: Pick<Assessments, 'begin' | 'pass' | 'fail'>
  /** Sends any callback for a number. */
  callBack(phoneNumberId: string, change: GraphChange): Promise<void>
  /** Whether a signal of the network is for a simulated number rather than for an instance of the service. */
  owns(id: InstanceId): boolean
  /** Handles a signal of the network; resolves once the callback was accepted. */
  onSignal(id: InstanceId, signal: EngineSignal): Promise<void>
  begin(): Promise<void>
  close(): Promise<void>
}

/** The same functions, bound to one number. */
type OfNumber<T> = {
  readonly [K in keyof T]: T[K] extends (number: GraphNumber, ...args: infer A) => infer R ? (...args: A) => R : never
}

const KEEP_MS = 7 * 24 * 60 * 60_000

export function createGraphSimulator(deps: GraphDeps): GraphSimulator {
  const { db, clock, random, log, ids, network, resolve } = deps
  const app = { id: numericId(random), secret: random.bytes(16).toString('hex') }
  // Reaches only this machine.
  const outbound = createOutbound({ clock, resolve, trustedRanges: ['127.0.0.0/8', '::1/128'] })
  const numbers = createGraphNumbers(db)
  const faults = createGraphFaults()
  const callbacks = createCallbacks({ outbound, faults, clock })
  const permissions = createPermissions({ db, clock })
  const calls = createGraphCalls({ clock, random, callbacks, permissions })
  const signups = createSignups({ random, numbers, app })
  let port = 0
  const url = () => `http://127.0.0.1:${port}`
  const files = createGraphFiles({ db, clock, random, network, baseUrl: url })
  const uploads = createGraphUploads({ random, numbers, files, faults })
  const marketing = createMarketingStops(db)
  const portfolios = createPortfolios({ db, clock, network, numbers, callbacks })
  const assessments = createAssessments()
  const contactBook = createGraphContactBook(db)
  const payments = createPayments()
  const countryLimits = createCountryLimits()
  const appData = createAppData({ callbacks, newId: () => ids.message() })
  const templateEvents = createTemplateEvents({ clock, store: network.templates, callbacks, assessments })
  const send = createSending({
    ...{ db, clock, ids, network, numbers, files, marketing, portfolios, assessments, payments, countryLimits },
    report: (number, sent, status) => callbacks.send(number, statusChange(number, sent, status)),
  })
  const groups = createGroupRoutes({ clock, random, network, callbacks })
  const usernames = createUsernameRoutes({ network, numbers, callbacks })
  const conversational = createConversationalRoutes(network)
  const answer = createRoutes({
    ...{
      db,
      clock,
      random,
      numbers,
      files,
      uploads,
      callbacks,
      signups,
      send,
      calls,
      permissions,
      portfolios,
      groups,
      usernames,
      conversational,
      templateEvents,
      appData,
      contactBook,
      network,
    },
  })
  const server = createGraphServer({ clock, random, log, faults, answer })

  function get(phoneNumberId: string): GraphNumber {
    const number = numbers.of(phoneNumberId)
    if (number === undefined) throw new Error(`the simulated Meta has no number ${phoneNumberId}`)
    return number
  }

  async function sendStatus(number: GraphNumber, signal: Extract<EngineSignal, { kind: 'receipt' | 'failed' }>) {
    const { atMs } = signal
    const wamid = networkId('official', signal.messageId ?? '')
    const sent = await db.readOne(sentByWamid, { wamid })
    if (sent === undefined) return
    const status =
      signal.kind === 'failed'
        ? { word: 'failed', atMs, error: signal.error }
        : { word: signal.status, atMs, isPriced: await isPriced(wamid, signal.status) }
    await callbacks.send(number, statusChange(number, sent, status))
  }

  /** Meta sends the price with `sent`, and again with the first status after it. */
  async function isPriced(wamid: string, status: 'sent' | 'delivered' | 'read'): Promise<boolean> {
    if (status === 'sent') return true
    return db.commit(async (tx) => (await tx.one(priceWith, { wamid, status })) !== undefined)
  }

  async function sendReceived(number: GraphNumber, signal: Extract<EngineSignal, { kind: 'received' }>) {
    if (signal.referral !== null && !signal.fromMe)
      await db.commit((tx) => noteEntry(tx, number, signal.chat, signal.atMs))
    if (!signal.fromMe) await contactBook.note(number, signal.from)
    await callbacks.send(number, inboundChange(number, signal, await detailsOf(number, signal)))
  }

  /** The content of a location, a contact or a tap, which is not text. */
  async function detailsOf(
    { accountId, number }: GraphNumber,
    { type, content, engineMessageId }: Extract<EngineSignal, { kind: 'received' }>,
  ): Promise<Content['details']> {
    const isTap = content?.type === 'button_reply'
    if (type !== 'location' && type !== 'contact' && !isTap) return undefined
    return (await network.find(accountId, number, engineMessageId)).content.details
  }

  return {
    app,
    url,
    async listen(wanted) {
      port = await server.listen(port === 0 ? wanted : port)
    },
    stopListening: server.close,

    async addNumber(
      accountId,
      { number, name = `Business ${number.slice(-4)}`, wabaId, appSecret, isRegistered = true, ...wish },
    ) {
      const portfolioId = wish.portfolioId ?? numbers.ofAccount(wabaId ?? '')[0]?.portfolioId ?? numericId(random)
      await portfolios.open(accountId, portfolioId, wish.messagingLimit)
      const made: GraphNumber = {
        phoneNumberId: numericId(random),
        instanceId: ids.instance(),
        accountId,
        wabaId: wabaId ?? numericId(random),
        portfolioId,
        number,
        name,
        quality: 'GREEN',
        accessToken: `EAASANDBOX${random.bytes(32).toString('hex')}`,
        appSecret: appSecret ?? app.secret,
        callbackUrl: null,
        subscribed: 0,
        registered: isRegistered ? 1 : 0,
        tokenDead: 0,
      }
      await numbers.put(made)
      await network.onboard(toEngineInstance(made), number)
      return made
    },
    has: (accountId, phoneNumberId) => numbers.of(phoneNumberId)?.accountId === accountId,
    cause: (phoneNumberId, kind, times) => faults.arm(get(phoneNumberId).phoneNumberId, kind, times),
    async killToken(phoneNumberId) {
      await numbers.change(get(phoneNumberId), { tokenDead: 1 })
    },
    contactBook(phoneNumberId) {
      const number = get(phoneNumberId)
      return { has: (user) => contactBook.has(number, user), refuse: () => contactBook.refuse(number) }
    },
    limit: (phoneNumberId, ...said) => portfolios.limit(get(phoneNumberId).portfolioId, ...said),
    async rate(phoneNumberId, quality) {
      await numbers.change(get(phoneNumberId), { quality })
    },
    async restrict(phoneNumberId, restrictions) {
      const number = get(phoneNumberId)
      await portfolios.restrict(number, restrictions)
      if (portfolios.suspendsUtility(number.wabaId)) await templateEvents.recategorizeUtility(number)
    },
    liftUtility: (phoneNumberId) => portfolios.liftUtility(get(phoneNumberId)),
    expireCard: (phoneNumberId, how) => payments.expire(get(phoneNumberId), how),
    replaceCard: (phoneNumberId) => payments.replace(get(phoneNumberId)),
    forbidCountries: (phoneNumberId, countries) => countryLimits.forbid(get(phoneNumberId), countries),
    hasPortfolio: (accountId, portfolioId) => portfolios.isOf(accountId, portfolioId),
    unselectFields: signups.unselect,
    signUp: (phoneNumberId) => signups.issue(get(phoneNumberId)),
    calls,
    grantCalls: (phoneNumberId, user, isPermanent) => permissions.grant(get(phoneNumberId), user, isPermanent),
    callFrom: (user, phoneNumberId, offer) => calls.callFrom(user, get(phoneNumberId), offer),
    changeNumber: (phoneNumberId, before, after) => {
      const number = get(phoneNumberId)
      const id = networkId('official', ids.message())
      return callbacks.send(number, numberChange(number, { id, before, after, atMs: clock.now() }))
    },
    decideUsername: (phoneNumberId, status) => usernames.decide(get(phoneNumberId), status),
    allowGroups: (phoneNumberId, isAllowed) => groups.allow(get(phoneNumberId), isAllowed),
    useApp: (phoneNumberId, isUsed) => groups.useApp(get(phoneNumberId), isUsed),
    appData(phoneNumberId) {
      const number = get(phoneNumberId)
      return {
        keep: (data: AppData) => appData.keep(number, data),
        changeContacts: (...args) => appData.changeContacts(number, ...args),
        sendHistory: () => appData.sendHistory(number),
      }
    },
    suspendGroup: (phoneNumberId, group, isSuspended) => groups.suspend(get(phoneNumberId), group, isSuspended),
    joinGroup: (phoneNumberId, group, user) => groups.join(get(phoneNumberId), group, user),
    async changeMarketing(phoneNumberId, user, value) {
      const number = get(phoneNumberId)
      await marketing.change(number, user, value)
      await callbacks.send(number, preferenceChange(number, { user, value, atMs: clock.now() }))
    },
    templates(phoneNumberId) {
      const number = get(phoneNumberId)
      const {
        pause,
        failAssessment,
        endPause,
        disable,
        archive,
        unarchive,
        rate,
        announceCategory,
        changeCategory,
        edit,
      } = templateEvents
      return {
        pause: (...args) => pause(number, ...args),
        failAssessment: (...args) => failAssessment(number, ...args),
        endPause: (...args) => endPause(number, ...args),
        disable: (...args) => disable(number, ...args),
        archive: (...args) => archive(number, ...args),
        unarchive: (...args) => unarchive(number, ...args),
        rate: (...args) => rate(number, ...args),
        announceCategory: (...args) => announceCategory(number, ...args),
        changeCategory: (...args) => changeCategory(number, ...args),
        edit: (...args) => edit(number, ...args),
      }
    },
    assessments,
    callBack: (phoneNumberId, change) => callbacks.send(get(phoneNumberId), change),

    owns: (id) => numbers.byInstance(id) !== undefined,
    async onSignal(id, signal) {
      const number = numbers.byInstance(id)
      if (number === undefined) return
      switch (signal.kind) {
        case 'receipt':
        case 'failed':
          return sendStatus(number, signal)
        case 'received':
          return sendReceived(number, signal)
        case 'edited':
        case 'deleted':
        case 'reaction':
          return callbacks.send(number, inboundChange(number, signal))
        default:
          // Meta has no callbacks about the connection itself.
          return undefined
      }
    },
    async begin() {
      await numbers.load()
      const before = clock.now() - KEEP_MS
      await db.commit(async (tx) => {
        await tx.run(pruneSent, { before })
        await tx.run(pruneUploaded, { before })
        await tx.run(pruneEntries, { before })
      })
    },
    async close() {
      await server.close()
      await outbound.close()
    },
  }
}
