import { ApiError } from '../../contract/errors.ts'
import type { LinkFault, SendFault } from '../../contract/sandbox.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { dueIn } from '../../kernel/due.ts'
import type { AccountId, InstanceId, MessageId, Random } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { Seal } from '../../kernel/seal.ts'
import type { Privacy } from '../direct.ts'
import type { Engine, EngineInstance, EngineSink, SendOutcome } from '../engine.ts'
import { createAlarms } from '../alarms.ts'
import { createBlocks, type Blocks } from './blocks.ts'
import { createCalls, type Calls } from './calls.ts'
import { createChatLists, type ChatList } from './chat-lists.ts'
import { createChatTimers } from './chat-timers.ts'
import { createChannels } from './channels.ts'
import { createCommunities } from './communities.ts'
import { createDirect } from './direct.ts'
import { createSandboxEngine } from './sandbox-engine.ts'
import { createFaults } from './faults.ts'
import { createFiles } from './files.ts'
import { createGroups, type Groups } from './groups.ts'
import { createInbox, type PhoneMessage } from './inbox.ts'
import { isPaired, createSessions } from './sessions.ts'
import { createJoinRequestEvents } from './join-request-events.ts'
import { createLinks } from './links.ts'
import { defaultName } from './network-ids.ts'
import { createPageTokens } from '../page-token.ts'
import { createOnboarding, type OnboardingSubject } from './onboarding.ts'
import { createPairings } from './pairing.ts'
import { createProfiles, readPicture } from './profiles.ts'
import { createConversationalStore, type ConversationalStore } from './conversational-components.ts'
import { createBusinessUsernames, type BusinessUsernameStore } from './usernames.ts'
import { createPhones, type KnownPhone, type Phone, type PhoneSettings } from './phones.ts'
import { STEPS, type TimelineMs } from './plan.ts'
import { createSend, RESTRICTION_MS } from './send.ts'
import { createPhoneMessages, type SpokenMessage, type Utterance } from './phone-messages.ts'
import type { Template } from '../templates.ts'
import { createTemplateStore, type TemplateStore } from './templates.ts'
import type { Tap } from './taps.ts'
import { createTimeline } from './timeline.ts'

export interface SandboxNetworkDeps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly seal: Seal
  readonly log: Log
  /** Receives the signals of both engines. Called only between `begin` and `close`. */
  readonly sink: EngineSink
  readonly timelineMs: TimelineMs
  /** After this time, a send without an answer fails with 504. */
  readonly sendTimeoutMs: number
}

export interface PhoneProfile extends ChatList {
  readonly name: string
  readonly about: string
  /** null: the default picture of sandbox phones. */
  readonly pictureName: string | null
  readonly privacy: { readonly [Setting in keyof Privacy]: NonNullable<Privacy[Setting]> }
}

/** How a phone enters a pairing code: by QR or typed. */
export type Scanned = { readonly text: string } | { readonly code: string }

export interface SandboxNetwork {
  readonly smv2: Engine
  readonly official: Engine
  /** The templates of the simulated Meta. */
  readonly templates: TemplateStore
  changePhone(
    accountId: AccountId,
    number: string,
    changes: Partial<PhoneSettings>,
  ): Promise<{ phone: KnownPhone; existed: boolean }>
  /** An unused number has a default phone. */
  findPhone(accountId: AccountId, number: string): Promise<Phone>
  /** @param search part of a name or a number; undefined lists every phone. */
  listPhones(accountId: AccountId, beforeSeq: number, limit: number, search?: string): Promise<KnownPhone[]>
  /** A phone's profile and chat list. */
  profile(accountId: AccountId, number: string): Promise<PhoneProfile>
  /**
   * Joins by the invite link. @returns whether an admin has to approve it first. @throws ApiError not_found,
   * invalid_state
   */
  enterGroup(accountId: AccountId, number: string, invite: string): Promise<{ id: string; waits: boolean }>
  /** A picture at `media.sandbox`, by its name. */
  picture(accountId: AccountId, name: string): Promise<Buffer | undefined>
  /** What the phone has received, newest first. */
  listMessages(accountId: AccountId, number: string, beforeSeq: number, limit: number): Promise<PhoneMessage[]>
  /** All QR texts that instances of the account show now. */
  shownCodes(accountId: AccountId): string[]
  /** @throws ApiError invalid_state when no instance shows this code. */
  scan(
    accountId: AccountId,
    number: string,
    scanned: Scanned,
  ): Promise<{ instanceId: InstanceId; state: 'connected' | 'passkey_required' }>
  speak(accountId: AccountId, number: string, utterance: Utterance): Promise<SpokenMessage>
  /** A message of a phone's chats. @throws ApiError not_found, invalid_state when it was deleted. */
  find(accountId: AccountId, number: string, id: string): Promise<PhoneMessage>
  edit(accountId: AccountId, number: string, id: string, text: string): Promise<PhoneMessage>
  remove(accountId: AccountId, number: string, id: string): Promise<PhoneMessage>
  react(accountId: AccountId, number: string, id: string, emoji: string): Promise<PhoneMessage>
  /** A phone calls a number. @returns the id of the call, and the instances where it rings. */
  call(
    accountId: AccountId,
    number: string,
    to: string,
    isVideo: boolean,
  ): Promise<{ callId: string; instanceIds: readonly InstanceId[] }>
  /** Ringing calls, for the simulated person who answers them. */
  readonly calls: Pick<Calls, 'takeOver' | 'end' | 'isRinging' | 'onRejected'>
  /**
   * @throws ApiError invalid_state for a message that is not a poll, validation_error for options that it does not
   * have.
   */
  vote(accountId: AccountId, number: string, id: string, options: readonly string[]): Promise<PhoneMessage>
  /**
   * Sends the phone's reply. @throws ApiError invalid_state for a message without buttons, validation_error for a tap
   * that it does not offer.
   */
  tap(accountId: AccountId, number: string, id: string, tap: Tap): Promise<SpokenMessage>
  /** @throws ApiError invalid_state if there is no connection to break. */
  breakLink(instance: EngineInstance, kind: LinkFault): Promise<void>
  failSends(instance: EngineInstance, kind: SendFault, times: number): Promise<void>
  /** How long an answer to a send takes. */
  readonly latencyMs: number
  /**
   * Decides the outcome of a message without waiting for its simulated latency: the caller makes it durable first.
   * Once `journal` is committed, the network continues even if this process ends.
   */
  take(...sent: [...sent: Parameters<Engine['send']>, template?: Template | undefined]): Promise<SendOutcome>
  /** From this commit on, reports that the network has the message, until the report is delivered. */
  reportSent(tx: Tx, instance: EngineInstance, messageId: MessageId, engineMessageId: string): Promise<void>
  /** Blocked people; a block belongs to the number. */
  readonly blocks: Blocks
  readonly usernames: BusinessUsernameStore
  readonly conversational: ConversationalStore
  readonly groups: Groups
  /** When this person last wrote to the number; null: never. */
  lastWroteAtMs(accountId: AccountId, number: string, person: string): Promise<number | null>
  /** Completes onboarding. @throws ApiError invalid_state when the instance has a number already. */
  onboard(instance: EngineInstance, number: string): Promise<void>
  onboardingSubject(token: string): Promise<OnboardingSubject>
  /** Handles the button of the onboarding page. @throws ApiError not_found for an unknown or used token. */
  completeOnboarding(token: string, number: string): Promise<OnboardingSubject>
}

const KEEP_MS = 7 * 24 * 60 * 60 * 1_000
const PRUNE_EVERY_MS = 60_000
const PRUNE_ROWS = 500

/** The simulated messaging network: one model of people, phones and connections, used by both engines. */
export function createSandboxNetwork(deps: SandboxNetworkDeps): SandboxNetwork {
  const { db, clock, random, log, sink, timelineMs, sendTimeoutMs } = deps
  const alarms = createAlarms(clock)
  const pageTokens = createPageTokens(deps)
  const sessions = createSessions({ db, pageTokens })
  const faults = createFaults(db)
  const phones = createPhones(db)
  const inbox = createInbox(db)
  const timeline = createTimeline({ db, clock, alarms, sink, log })
  const links = createLinks({ db, clock, alarms, sessions, timeline, faults })
  const pairings = createPairings({ clock, random, alarms, sink, log, pair })
  const tellAdmins = createJoinRequestEvents({ clock, sessions, timeline })
  const groups = createGroups({ db, clock, random, tellAdmins })
  const communities = createCommunities({ db, groups })
  const channels = createChannels({ db, clock, random, phones, sessions, timeline })
  const blocks = createBlocks(db)
  const files = createFiles({ db, sessions, inbox, posts: channels })
  const profiles = createProfiles(db)
  const usernames = createBusinessUsernames(db)
  const conversational = createConversationalStore(db)
  const chatLists = createChatLists(db)
  const chatTimers = createChatTimers(db)
  const phoneMessages = createPhoneMessages({
    ...{ db, clock, random, sessions, phones, inbox, timeline, groups, blocks, chatTimers },
  })
  const calls = createCalls({ db, clock, random, sessions, phones, timeline })
  const direct = createDirect({
    ...{ db, clock, sessions, faults, phones, phoneMessages, groups, blocks, calls, profiles, chatLists, chatTimers },
    ...{ lastWroteAtMs: inbox.lastWroteAtMs, communities, channels },
  })
  const onboarding = createOnboarding({ db, pageTokens, sessions })
  const templates = createTemplateStore({ db, clock, random })
  const send = createSend({
    db,
    clock,
    sessions,
    links,
    faults,
    phones,
    groups,
    inbox,
    files,
    templates,
    timeline,
    phoneMessages,
    chatTimers,
    isBlocked: blocks.isBlocked,
    timelineMs,
    sendTimeoutMs,
  })

  let hasBegun = false

  async function begin(): Promise<void> {
    if (hasBegun) return
    hasBegun = true
    await sessions.load()
    await faults.load()
    await chatTimers.load()
    for (const { instanceId, healsAtMs } of sessions.all()) if (healsAtMs !== null) links.healAt(instanceId, healsAtMs)
    timeline.open()
    alarms.set('prune', clock.now() + PRUNE_EVERY_MS, () => void prune())
  }

  async function close(): Promise<void> {
    alarms.close()
    await timeline.close()
    await pairings.settled()
  }

  /** Prunes messages older than a week. */
  async function prune(): Promise<void> {
    const removed = await inbox.prune(clock.now() - KEEP_MS, PRUNE_ROWS).catch((error: unknown) => {
      log.warn({ event: 'sandbox.prune_failed', cause: cause(error) })
      return 0
    })
    const pauseMs = removed < PRUNE_ROWS ? PRUNE_EVERY_MS : 0
    alarms.set('prune', clock.now() + pauseMs, () => void prune())
  }

  async function nameOf(accountId: AccountId, number: string): Promise<string> {
    return (await phones.find(accountId, number)).name ?? defaultName(number)
  }

  async function pair(instance: EngineInstance, number: string): Promise<boolean> {
    await db.commit((tx) => phones.ensure(tx, instance.accountId, number, clock.now()))
    return links.pair(instance, number, await nameOf(instance.accountId, number))
  }

  const latencyMs = timelineMs[0]
  const parts = {
    clock,
    sessions,
    links,
    faults,
    pairings,
    onboarding,
    inbox,
    files,
    templates,
    usernames,
    conversational,
    direct,
    send,
    latencyMs,
    begin,
    close,
  }

  return {
    smv2: createSandboxEngine('smv2', parts),
    official: createSandboxEngine('official', parts),
    templates,
    ...phoneMessages,
    call: calls.ring,
    calls,

    changePhone: (accountId, number, changes) =>
      db.commit(async (tx) => {
        const now = clock.now()
        const { before, after, existed } = await phones.change(tx, accountId, number, changes, now)
        const { seq } = after
        if (before.online && !after.online) {
          await inbox.wentOffline(tx, seq, now)
          await timeline.phoneWentOffline(tx, seq)
        }
        if (after.receipts === 'none') await timeline.phoneFellSilent(tx, seq, STEPS.delivered)
        if (after.receipts === 'delivered') await timeline.phoneFellSilent(tx, seq, STEPS.read)
        if (!before.online && after.online) {
          await inbox.cameOnline(tx, seq, now, now + after.delayMs)
          await timeline.phoneCameOnline(tx, seq, now + after.delayMs)
        }
        return { phone: after, existed }
      }),
    findPhone: phones.find,
    listPhones: (accountId, beforeSeq, limit, search) => phones.list(accountId, beforeSeq, limit, search),
    async profile(accountId, number) {
      return {
        name: await nameOf(accountId, number),
        ...(await profiles.read(accountId, number)),
        pictureName: await profiles.pictureName(accountId, number),
        ...(await chatLists.read(accountId, number)),
      }
    },
    async enterGroup(accountId, number, invite) {
      await db.commit((tx) => phones.ensure(tx, accountId, number, clock.now()))
      return groups.enter(accountId, number, invite)
    },
    picture: (accountId, name) => readPicture(db, accountId, name),
    listMessages: (accountId, number, beforeSeq, limit) =>
      inbox.received(accountId, number, clock.now(), beforeSeq, limit),

    shownCodes: pairings.texts,
    async scan(accountId, number, scanned) {
      const instance =
        'text' in scanned ? pairings.byText(accountId, scanned.text) : pairings.byCode(accountId, scanned.code)
      if (instance === undefined) throw staleCode()
      if ((await phones.find(accountId, number)).passkey) {
        pairings.requirePasskey(instance, number)
        return { instanceId: instance.id, state: 'passkey_required' }
      }
      pairings.end(instance.id)
      if (!(await pair(instance, number))) throw staleCode()
      return { instanceId: instance.id, state: 'connected' }
    },

    async breakLink(instance, kind) {
      await sessions.load()
      const session = sessions.of(instance.id)
      if (!isPaired(session)) throw new ApiError('invalid_state', `${kind} needs a paired instance. Pair it first.`)
      if (kind !== 'drop') return links.revoke(instance.id, kind === 'ban' ? 'banned' : 'logged_out')
      if (!session.up) throw new ApiError('invalid_state', 'drop needs a connected instance. Connect it first.')
      return links.drop(instance.id)
    },
    failSends: (instance, kind, times) =>
      db.commit(async (tx) => {
        await sessions.ensure(tx, instance)
        await faults.set(tx, instance.id, kind, times)
        const now = clock.now()
        if (kind === 'restricted') await sessions.restrict(tx, instance.id, now, now + RESTRICTION_MS)
      }),

    latencyMs,
    blocks,
    usernames,
    conversational,
    groups,
    take: (instance, messageId, out, departure, template) =>
      send(instance, messageId, out, departure, { acceptedMs: 0, template }),
    lastWroteAtMs: inbox.lastWroteAtMs,
    reportSent(tx, { id: instanceId }, messageId, engineMessageId) {
      const signal = { kind: 'receipt', messageId, status: 'sent', atMs: clock.now(), engineMessageId } as const
      const place = { lane: engineMessageId, step: STEPS.sent, due: dueIn(clock, 0), phone: null, offsetMs: 0 }
      return timeline.schedule(tx, { instanceId, ...place, signal })
    },

    async onboard(instance, number) {
      if (await pair(instance, number)) return
      throw new ApiError('invalid_state', 'This instance already has a number. Recreate it to onboard another.')
    },
    onboardingSubject: (token) => onboarding.subject(token),
    async completeOnboarding(token, number) {
      const subject = await onboarding.subject(token)
      const instance = { ...subject, engine: 'official', network: 'sandbox' } as const
      // The token is deleted with the first pairing, so a second click finds no instance to connect.
      if (!(await pair(instance, number))) throw new ApiError('not_found', 'This onboarding page was already used.')
      return subject
    },
  }
}

const staleCode = () =>
  new ApiError(
    'invalid_state',
    'This code has expired or is not from this account. Read GET …/qr again and use the new one.',
  ).because('code_expired')
