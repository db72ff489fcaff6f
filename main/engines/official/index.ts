import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId, Random } from '../../kernel/ids.ts'
import { contentOf } from '../../kernel/file-content.ts'
import type { Log } from '../../kernel/log.ts'
import type { Seal } from '../../kernel/seal.ts'
import { createAlarms } from '../alarms.ts'
import { messageToTypeUnder } from '../typing-rules.ts'
import { createBlocks } from './blocks.ts'
import type { Engine, EngineInstance, EngineSink } from '../engine.ts'
import { createSubscribeCallbacks } from './subscribe-callbacks.ts'
import { createCallbackNotes } from './callback-notes.ts'
import { createCallbacks, type Callbacks } from './callbacks.ts'
import { createCalling, type CloudCalling } from './calling.ts'
import { createCategoryChanges } from './category-changes.ts'
import { createConnect } from './connect.ts'
import { evidenceOf } from './evidence.ts'
import { perSecond, TO_ONE } from './number-facts.ts'
import { createGraphClient } from './graph-client.ts'
import { createGroupRequests } from './group-requests.ts'
import { createGroups } from './groups.ts'
import { createHolds } from './holds.ts'
import { createInbound } from './inbound.ts'
import { createJournal } from './journal.ts'
import { createNumbers, hasCredentials, isUsable, type ConnectedNumber } from './numbers.ts'
import { createOnboarding, type Onboarding, type SignupApp } from './onboarding.ts'
import { createSelfTest } from './self-test.ts'
import { createPeople } from './people.ts'
import { createContactBook } from './contact-book.ts'
import { createArchivedTemplates } from './archived-templates.ts'
import { createTemplateStates } from './template-states.ts'
import { createRecategorizedTemplates } from './recategorized-templates.ts'
import { createTemplateCapacities } from './template-capacity.ts'
import { createTemplateLifetimes } from './template-lifetimes.ts'
import { isTemplateLimit } from './errors.ts'
import { templatesFull } from '../templates-full.ts'
import { createTemplateWords } from './template-words.ts'
import { createSend, createPendingSends } from './send.ts'
import { createPauseLookup, createTemplates } from './templates.ts'
import { callerOf } from './graph-caller.ts'
import { createConversationalSettings } from './conversational-components.ts'
import { createUsernames } from './usernames.ts'
import { createTransport, type NotOk, type GraphCredentials } from './transport.ts'
import { createNumberMonitor } from './number-monitor.ts'
import type { OutboundClients } from './outbound-clients.ts'

export type { Callbacks } from './callbacks.ts'
export { CloudCallRefused, type CloudCalling, type CloudCallEvent } from './calling.ts'
export type { GivenField } from './connect.ts'
export type { Onboarding, OnboardingView, Pasted } from './onboarding.ts'
export type { CallbackFault, CallbackFaultCode, Reason, ReasonCode } from './connect-error.ts'
export { createOutboundClients } from './outbound-clients.ts'

export interface OfficialNeeds {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly seal: Seal
  /** Receives the signals of the engine. Called only between `begin` and `close`, and when a page connects a number. */
  readonly sink: EngineSink
  readonly waysOut: OutboundClients
  /** Without a trailing slash. */
  readonly graphBaseUrl: () => string
  readonly graphVersion: string
  readonly app: SignupApp | null
  readonly publicBaseUrl: string | null
  /** Address the service listens on, without a trailing slash; used by a simulator. */
  readonly localUrl: () => string
}

export interface Official {
  readonly engine: Engine
  readonly callbacks: Callbacks
  readonly onboarding: Onboarding
  readonly calling: CloudCalling
  /** Callback content since the start that Switchboard ignores, by name. */
  readonly notedCallbacks: () => Readonly<Record<string, number>>
}

/**
 * Meta's Cloud API behind the engine port. Written from Meta's public documentation and verified against this
 * repository's Graph simulator over HTTP, not against the live service (README, "Verified against what").
 */
export function createOfficial(deps: OfficialNeeds): Official {
  const { db, clock, random, log, seal, sink, waysOut, publicBaseUrl } = deps
  const alarms = createAlarms(clock)
  const numbers = createNumbers({ db, seal, random })
  const client = createGraphClient({
    outbound: waysOut.graph,
    baseUrl: deps.graphBaseUrl,
    defaultVersion: deps.graphVersion,
  })
  const transport = createTransport({ client, random })
  const callbackAddress = (id: InstanceId): string | null => {
    const reached = publicBaseUrl ?? (waysOut.isSimulated ? deps.localUrl() : null)
    return reached === null ? null : `${reached}/callbacks/meta/${id}`
  }
  const askForCalls = createSubscribeCallbacks(transport, callbackAddress)
  const shared = { db, clock, random, log, alarms, numbers, transport, sink, callbackAddress, askForCalls }
  const words = createTemplateWords({ db, clock, log, transport })
  const states = createTemplateStates({ db, clock })
  const capacities = createTemplateCapacities({ db, clock, numbers })
  const watch = createNumberMonitor({ ...shared, words, capacities, states })
  const holds = createHolds({ db, clock, numbers })
  const unnamed = createPendingSends()
  const calls = createCalling({ clock, client, numbers, connected: (instance) => connectedNumber(instance) })
  const people = createPeople({ db, sink, numbers })
  const groupRequests = createGroupRequests(clock)
  const categoryChanges = createCategoryChanges({ db, clock })
  const recategorized = createRecategorizedTemplates({ db, clock })
  const lifetimes = createTemplateLifetimes({ db, clock })
  const archived = createArchivedTemplates({ db, clock })
  const inbound = createInbound({
    ...shared,
    ...{ watch, holds, people, groupRequests, categoryChanges, recategorized, archived, states, words },
    publishCall: calls.publish,
  })
  const notes = createCallbackNotes(log)
  const journal = createJournal({ ...shared, inbound, unnamed, notes })
  const selfTest = waysOut.mirror && createSelfTest({ outbound: waysOut.mirror, random })
  const connect = createConnect({ ...shared, watch })
  const onboarding = createOnboarding({ ...shared, connect, selfTest, app: deps.app, publicBaseUrl })

  /** The number and credentials of an instance. @throws ApiError not_ready */
  function connectedNumber({ id }: EngineInstance): { number: ConnectedNumber; speaker: GraphCredentials } {
    const number = numbers.of(id)
    const speaker = isUsable(number) ? callerOf(number) : undefined
    if (isUsable(number) && speaker !== undefined) return { number, speaker }
    throw notConnected()
  }

  /** Unsubscribes at Meta only if no other number here uses the account: the subscription is per account. */
  async function unsubscribe(number: ConnectedNumber): Promise<void> {
    const others = numbers.ofAccount(number.wabaId).filter(({ instanceId }) => instanceId !== number.instanceId)
    const speaker = callerOf(number)
    if (others.length === 0 && speaker !== undefined) await transport.unsubscribe(speaker, number.wabaId)
  }

  const engine: Engine = {
    async start(instance) {
      await numbers.load()
      if (!hasCredentials(numbers.of(instance.id))) {
        await onboarding.token(instance)
        return
      }
      await db.commit(async (tx) => {
        await numbers.raise(tx, instance.id)
        await holds.endByPerson(tx, instance.id)
      })
      watch.follow(instance.id)
    },
    async resume({ id }) {
      await numbers.load()
      // There is no connection to wait for: a valid number stays valid until Meta says otherwise.
      return isUsable(numbers.of(id)) ? 'connected' : 'no_session'
    },
    async stop({ id }) {
      watch.forget(id)
      await db.commit((tx) => numbers.lower(tx, id))
    },
    async logout({ id }) {
      await numbers.load()
      const number = numbers.of(id)
      watch.forget(id)
      if (hasCredentials(number)) await unsubscribe(number)
      await db.commit((tx) => numbers.forget(tx, id))
    },
    async rehome(tx, id, accountId) {
      await numbers.rehome(tx, id, accountId)
    },
    async wipe({ id }) {
      watch.forget(id)
      await db.commit((tx) => numbers.remove(tx, id))
    },
    onboarding,
    send: createSend({
      ...{ db, clock, log, numbers, transport, watch, holds, unnamed, people },
      pausedUntil: createPauseLookup({ db, clock }),
      lifetimes,
    }),
    endHold: holds.endByPerson,
    // Graph offers no way to look up a message; only callbacks can decide.
    find: async () => 'cannot_tell',
    pace({ id }) {
      const facts = numbers.of(id)?.facts
      return facts ? { perSecond: perSecond(facts), toOne: TO_ONE } : null
    },
    direct: {
      async markRead(instance, { engineMessageId }, isTyping = false) {
        const { number, speaker } = connectedNumber(instance)
        const done = await transport.markRead(speaker, number.phoneNumberId, engineMessageId, isTyping)
        if (done.kind !== 'ok') throw refusal(done)
      },
      async showTyping(instance, to, state, received) {
        const { number, speaker } = connectedNumber(instance)
        const { engineMessageId } = messageToTypeUnder(to, state, received)
        const done = await transport.markRead(speaker, number.phoneNumberId, engineMessageId, true)
        if (done.kind !== 'ok') throw refusal(done)
      },
      ...createBlocks({ client, connected: connectedNumber, people, refusal }),
      ...createGroups({ client, connected: connectedNumber, people, requests: groupRequests, refusal }),
    },
    async media(instance, mediaId) {
      const { number, speaker } = connectedNumber(instance)
      const found = await transport.media(speaker, number.phoneNumberId, mediaId)
      if (found.kind === 'ok') {
        const { bytes, ...about } = found.value
        return { ...about, content: contentOf(bytes) }
      }
      if (found.kind === 'error') return null
      throw refusal(found)
    },
    conversational: createConversationalSettings({ client, connected: connectedNumber, refusal }),
    usernames: createUsernames({
      ...{ client, connected: connectedNumber, refusal, sharesPortfolio: numbers.sharesPortfolio },
      async noteReleased(id, releasedUsername) {
        await db.commit((tx) => numbers.note(tx, id, (facts) => ({ ...facts, releasedUsername })))
      },
    }),
    apiVersion: {
      of: (id) => numbers.of(id)?.graphVersion ?? null,
      ownOf: (accountId) =>
        numbers
          .all()
          .flatMap(({ accountId: owner, instanceId, graphVersion: version }) =>
            owner === accountId && version !== null ? [{ instanceId, version }] : [],
          ),
      async check(instance, version) {
        const { number, speaker } = connectedNumber(instance)
        const answer = await transport.numberInfo({ ...speaker, version }, number.phoneNumberId)
        if (answer.kind !== 'ok') throw refusal(answer)
      },
      async set(tx, id, version) {
        const changed = await numbers.speak(tx, id, version)
        if (changed === undefined && version !== null) throw notConnected()
      },
    },
    templates: createTemplates({
      ...{ db, clock, transport, client, numbers, changes: categoryChanges, recategorized, lifetimes, archived },
      ...{ states, words, capacities, connected: connectedNumber, refusal },
    }),
    contactBook: createContactBook({ db, clock, client, numbers }),
    billedNumber: (id) => numbers.of(id)?.phoneNumberId ?? null,
    evidence: ({ id }) =>
      evidenceOf({
        number: numbers.of(id),
        portfolio: numbers.portfolioOf(id),
        contact: watch.contact(id),
        unread: journal.unread(id),
        hasAddress: callbackAddress(id) !== null,
        nowMs: clock.now(),
      }),
    async begin() {
      await numbers.load()
      await journal.open()
      watch.begin()
    },
    async close() {
      alarms.close()
      await journal.close()
      await watch.settled()
      await words.settled()
    },
  }

  return {
    engine,
    callbacks: createCallbacks({ db, clock, numbers, journal }),
    onboarding,
    calling: calls.calling,
    notedCallbacks: notes.counts,
  }
}

const notConnected = () =>
  new ApiError('not_ready', 'The instance has no number that Meta knows. Complete its onboarding.')

/** Turns errors that the caller can fix into ApiErrors; anything else means that Meta did not answer. */
function refusal(reply: NotOk): Error {
  if (reply.kind !== 'error') return new Error(`Meta did not answer (${reply.code})`)
  if (isTemplateLimit(reply.error)) return templatesFull()
  return new ApiError('invalid_state', `Meta refused this (${reply.error.code}): ${reply.error.details}`).because(
    'meta_refused',
    { code: reply.error.code, said: reply.error.details },
  )
}
