import { join } from 'node:path'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { Files } from '../../kernel/files.ts'
import type { Chore } from '../../kernel/housekeeping.ts'
import type { InstanceId, Random } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { MediaConverter } from '../../kernel/media-converter.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { Proxy } from '../../outbound/proxy.ts'
import type { Seal } from '../../kernel/seal.ts'
import { createAlarms } from '../alarms.ts'
import type { Engine, EngineInstance, EngineSink } from '../engine.ts'
import type { LineSettings, ReadLineSettings } from '../line-settings.ts'
import { createAcks } from './acks.ts'
import { keep } from './chat-list.ts'
import { createDirect } from './direct.ts'
import { evidenceOf } from './evidence.ts'
import { createMessageFiles } from './message-files.ts'
import { createMessageSecrets } from './message-secrets.ts'
import { createConnectQueue } from './connect-queue.ts'
import { createForwards } from './forward.ts'
import { createHistory } from './history.ts'
import { createInbound } from './inbound.ts'
import { createJournal } from './journal.ts'
import { createLoadLibrary } from './library.ts'
import { chatKeyOf } from './jid.ts'
import { createLineEvents } from './line-events.ts'
import { createLineNetworks, isSameProxy } from './line-networks.ts'
import { createLink, type Link, type LinkListener } from './link.ts'
import { createMediaStore } from './media-store.ts'
import { MAX_FILE_BYTES, MEDIA_ZONE } from './media-transfer.ts'
import { createPost } from './post.ts'
import { createPeople } from './people.ts'
import { createPolls } from './polls.ts'
import { createProtocol, VERSION_SOURCES } from './protocol.ts'
import { createReceipts } from './receipts.ts'
import { createChatTimers } from './chat-timers.ts'
import { createNewChats } from './new-chats.ts'
import { createRestrictions } from './restrictions.ts'
import { journalRetention } from './retention.ts'
import { createSend } from './send.ts'
import { createSendQueue, type SendPace } from './send-queue.ts'
import { rehomeSession } from './store.ts'
import { createSent } from './sent.ts'
import { createSessionTransfer } from './session-transfer.ts'
import { createSignalOutbox } from './signal-outbox.ts'
import { createDescribeFile } from './thumbnails.ts'
import { createUnreadable } from './unreadable.ts'

/** What is asked for something over HTTP; everything else goes over the chat connection. */
export const WHATSAPP_HOSTS: readonly string[] = [MEDIA_ZONE, ...VERSION_SOURCES.map(({ url }) => new URL(url).origin)]

export interface Smv2Deps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly seal: Seal
  /** Where the engine reports; called only between `begin` and `close`, and while somebody starts an instance. */
  readonly sink: EngineSink
  /** To the network's store of files, and to where it says which version its client has. */
  readonly outbound: Outbound
  /** The same, through the proxy of a line. */
  readonly throughProxy: (proxy: Proxy) => Outbound
  readonly readLineSettings: ReadLineSettings
  readonly files: Files
  readonly converter: Pick<MediaConverter, 'convert'>
  /** The home folder; files of earlier versions are in `media` there. */
  readonly home: string
  readonly settings: {
    /** null: what the library came with, or what the network has named since. */
    readonly protocolVersion: string | null
    readonly mediaKeepDays: number
    readonly mediaWaitSeconds: number
    readonly sendTimeoutMs: number
    /** 0: messages leave as they come. */
    readonly pacePerMinute: number
    readonly paceBurst: number
    readonly paceChatPerMinute: number
    readonly paceChatBurst: number
    readonly paceSpacingMs: number
  }
}

export interface Smv2 {
  readonly engine: Engine
  /** Sends that wait for their turn end as not sent; called before the service waits for what is under way. */
  drain(): void
  /** Removes old rows and files. */
  readonly chores: readonly Chore[]
}

/**
 * A linked device of a phone, behind the engine port. Verified against the stand-in of this repository, which speaks the
 * network's own protocol to the unmodified library; it has not met the live service (README, "Verified against what").
 */
export function createSmv2(needs: Smv2Deps): Smv2 {
  const { db, clock, random, log, seal, sink, outbound, settings } = needs
  const alarms = createAlarms(clock)
  const loadLibrary = createLoadLibrary({ log, clock })
  const signalOutbox = createSignalOutbox({ clock, alarms, log, sink })
  const acks = createAcks()
  const links = new Map<InstanceId, Link>()
  let hasBegun = false

  const polls = createPolls({ db, clock, seal })
  const sent = createSent({ db, clock, seal, loadLibrary, polls })
  const secrets = createMessageSecrets({ db, seal, sent, loadLibrary })
  const people = createPeople({ db, clock, sink })
  const chatTimers = createChatTimers({ clock, people })
  const lineEvents = createLineEvents({
    people,
    publish: ({ id }, event) => signalOutbox.add(id, { kind: 'line_event', event }),
  })
  const newChats = createNewChats({ clock, log })
  const restrictions = createRestrictions({ db, clock, newChats })
  const networks = createLineNetworks({ ...needs, readSettings: needs.readLineSettings })
  const transferOf = ({ id }: EngineInstance) => networks.network(id).transfer
  const store = createMediaStore({
    ...{ db, clock, seal, files: needs.files, oldFolder: join(needs.home, 'media'), maxBytes: MAX_FILE_BYTES },
    keepDays: () => settings.mediaKeepDays,
  })
  const files = createMessageFiles({
    ...{ clock, log, alarms, store, transferOf, loadLibrary, sink, linkOf },
    waitSeconds: () => settings.mediaWaitSeconds,
  })
  const inbound = createInbound({
    ...{ db, log, loadLibrary, people, polls, files, sent, secrets, chatTimers, sink, linkOf },
  })
  const history = createHistory({ db, clock, seal, loadLibrary, people, inbound, chatTimers, linkOf })
  const journal = createJournal({ db, clock, log, alarms, seal, inbound })
  const receipts = createReceipts({ acks, sent, sink, now: clock.now })
  const unreadable = createUnreadable({ clock, alarms, log, publishUnreadable: inbound.publishUnreadable })
  // The other half of the caller's waiting time is for the network.
  const queue = createSendQueue({
    clock,
    random,
    pace: (id) => paceOf(settings, networks.settings(id)),
    maxWaitMs: settings.sendTimeoutMs / 2,
  })
  // The upload goes on meanwhile, and the rest of the time is for the network.
  const describeFile = createDescribeFile({
    ...{ clock, converter: needs.converter },
    waitMs: () => settings.sendTimeoutMs / 8,
  })
  const post = createPost({ clock, log, acks, sent })

  const { acts, presence } = createDirect({
    ...{ db, clock, random, people, chatTimers, lineEvents, post, queue, linkOf, networks },
    ...{ transferOf, describeFile },
  })

  /** A failure here is not caused by the connection and must not end it. */
  const noting = (event: string, { id }: EngineInstance, act: Promise<unknown>): void => {
    act.catch((error: unknown) => log.warn({ event, instanceId: id, cause: cause(error) }))
  }

  const listener: LinkListener = {
    publish: ({ id }, signal) => signalOutbox.add(id, signal),
    async receipt(instance, node, open) {
      const taking = receipts.receipt(instance, node, open)
      noting('smv2.receipt_not_taken', instance, taking)
      await taking
    },
    ack: (instance, node) => noting('smv2.answer_not_taken', instance, receipts.ack(instance, node)),
    unreadable,
    unavailable: (instance, attributes, kind) =>
      noting('smv2.unavailable_not_told', instance, inbound.publishUnavailable(instance, attributes, kind)),
    lineEvent: (instance, open, raw) =>
      noting('smv2.line_event_not_told', instance, lineEvents.receive(instance, open, raw)),
    history: (instance, set) => noting('smv2.history_not_stored', instance, history.arrived(instance, set)),
    labelChanged: (instance, label) => noting('smv2.label_not_stored', instance, keep(db, instance, label)),
    restriction: (instance, lock) =>
      noting('smv2.restriction_not_stored', instance, restrictions.learn(instance.id, lock)),
    newChats: (instance, { session }, info) =>
      noting('smv2.new_chats_not_stored', instance, newChats.learn(instance, session.keys, info)),
    opened(instance) {
      noting('smv2.restriction_unread', instance, restrictions.load(instance.id))
      const open = linkOf(instance).open()
      if (open) noting('smv2.new_chats_unread', instance, newChats.opened(instance, open))
      noting('smv2.presence_unsaid', instance, presence.opened(instance))
    },
    // Until then the library says nothing of presence.
    named: (instance) => noting('smv2.presence_unsaid', instance, presence.opened(instance)),
    closed: ({ id }) => acks.lose(id),
    findDecrypted: journal.findDecrypted,
    sentMessage: ({ id }, engineId) => sent.messageOf(id, engineId),
  }

  const protocol = createProtocol({ db, clock, log, outbound, configured: settings.protocolVersion })

  const linkNeeds = {
    ...{ db, clock, random, log, alarms, loadLibrary, listener, networks },
    gate: createConnectQueue(clock, alarms),
    protocol,
    session: {
      ...{ db, clock, seal, log },
      onInbound: journal.wake,
      onNumberLearned: (instance: EngineInstance, hidden: readonly string[]) =>
        noting('smv2.person_not_told', instance, introduce(instance, hidden)),
    },
  }

  async function introduce(instance: EngineInstance, hidden: readonly string[]): Promise<void> {
    const credentials = await linkOf(instance).credentials()
    if (credentials) await people.numbersLearned(instance, credentials.keys, hidden)
  }

  function linkOf(instance: EngineInstance): Link {
    const known = links.get(instance.id)
    if (known) return known
    const link = createLink(linkNeeds, instance)
    links.set(instance.id, link)
    return link
  }

  async function leave(instance: EngineInstance, act: (link: Link) => Promise<void>): Promise<void> {
    queue.release(instance.id)
    await act(linkOf(instance))
    links.delete(instance.id)
    restrictions.forget(instance.id)
    newChats.forget(instance.id)
    presence.forget(instance.id)
    networks.forget(instance.id)
    await store.forget(instance.id)
  }

  const engine: Engine = {
    start: (instance) => linkOf(instance).start(),
    resume: (instance) => linkOf(instance).resume(hasBegun),
    stop(instance) {
      queue.release(instance.id)
      return linkOf(instance).stop()
    },
    async rehome(tx, instanceId, accountId) {
      await tx.run(rehomeSession, { instanceId, accountId })
    },
    logout: (instance) => leave(instance, (link) => link.logout()),
    wipe: (instance) => leave(instance, (link) => link.wipe()),
    pairing: {
      current: async (instance) => linkOf(instance).qr(),
      code: (instance, phone) => linkOf(instance).code(phone),
      refresh: (instance) => linkOf(instance).refresh(),
      passkey: {
        respond: (instance, { attempt, credential }) =>
          linkOf(instance).passkey((ceremony) => ceremony.respond(attempt, credential)),
        confirm: (instance, { attempt, match }) =>
          linkOf(instance).passkey((ceremony) => ceremony.confirm(attempt, match)),
      },
    },
    send: createSend({
      clock,
      random,
      log,
      people,
      restrictions,
      newChats,
      chatTimers,
      transferOf,
      describeFile,
      post,
      queue,
      forwards: createForwards({ sent, store }),
      linkOf,
    }),
    retryAfterSeconds: ({ id }, to) => queue.retryAfterSeconds(id, chatKeyOf(to)),
    sessions: createSessionTransfer({ db, seal, loadLibrary, session: linkNeeds.session }),
    // For a message that may have been sent, only the network's answer counts.
    find: async () => 'cannot_tell',
    addsToGroups: true,
    direct: acts,
    media: files.read,
    history: history.source,
    lines: {
      checkProxy: networks.check,
      async settingsChanged(instance) {
        const before = networks.settings(instance.id)
        const now = await networks.refresh(instance.id)
        queue.paceChanged(instance.id)
        if (!isSameProxy(before.proxy, now.proxy)) return links.get(instance.id)?.reconnect()
        if (before.online !== now.online && links.get(instance.id)?.open()) await presence.settingChanged(instance)
      },
    },
    evidence: ({ id }) =>
      evidenceOf({
        ...{ id, link: links.get(id), restrictions, newChats, files, networks, protocol },
        nowMs: clock.now(),
      }),
    async begin() {
      hasBegun = true
      await files.begin()
      await journal.open()
      for (const link of links.values()) link.begin()
    },
    async close() {
      queue.close()
      alarms.close()
      files.close()
      await Promise.all([...links.values()].map((link) => link.close()))
      await networks.close()
      await journal.close()
      await signalOutbox.settled()
    },
  }

  return { engine, drain: queue.close, chores: [store.retention, journalRetention({ db, clock })] }
}

function paceOf(settings: Smv2Deps['settings'], { pace }: LineSettings): SendPace | null {
  const perMinute = pace.perMinute ?? settings.pacePerMinute
  if (perMinute === 0) return null
  return {
    line: { perMinute, burst: pace.burst ?? settings.paceBurst },
    chat: {
      perMinute: pace.chatPerMinute ?? settings.paceChatPerMinute,
      burst: pace.chatBurst ?? settings.paceChatBurst,
    },
    spacingMs: pace.spacingMs ?? settings.paceSpacingMs,
  }
}
