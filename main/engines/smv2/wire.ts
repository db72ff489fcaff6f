import type { EventEmitter } from 'node:events'
import type {
  BaileysEventEmitter,
  BaileysEventMap,
  BinaryNode,
  NewChatMessageCapInfo,
  proto,
  ReachoutTimelockState,
  UserFacingSocketConfig,
  WAMessage,
  WASocket,
  WAVersion,
} from 'baileys'
import type { Caches } from './caches.ts'
import { keepChannelPost, readChannelPost } from './channel-posts.ts'
import { hearingSalts, storeSalt } from './contact-salt.ts'
import { CONNECT_MS, KEEP_ALIVE_MS } from './connection-times.ts'
import { readJoinRequestNotice } from './join-request-notices.ts'
import type { Library } from './library.ts'
import type { LineNetwork } from './line-networks.ts'
import { bytesIn, isMalformed, PARSING_ERROR, readPairingNotice, type PairingNotice } from './pairing-notices.ts'
import type { HistorySet, RawLabel, RawLineEvent } from './raw-line-event.ts'
import type { GuardedRepository } from './repository.ts'
import type { Session } from './session.ts'
import { isUnhandled, unknownStanza } from './unknown-stanza.ts'

/** What a connection reports. Nothing is reported after `end`. */
interface WireListener {
  /** The network has sent anything at all. */
  frame(): void
  /** The network offers to pair: each of these can be drawn as a QR code. */
  refs(refs: readonly string[]): void
  pairingNotice(notice: PairingNotice): void
  /** The phone has confirmed the pairing, and the session is stored. */
  paired(): void
  open(): void
  /** The phone has sent the name of its owner. */
  named(): void
  /** @param error the reason that the library gives, of any type. */
  closed(error: unknown): void
  /** Resolves once it is durable; only then is it acknowledged to the network. */
  receipt(node: BinaryNode): Promise<void>
  ack(node: BinaryNode): void
  /** A message that this device could not read (yet). */
  unreadable(message: WAMessage): void
  /** A message without content, with the network's own word for why, such as `view_once`. */
  unavailable(attributes: Readonly<Record<string, string>>, kind: string): void
  /** Calls, groups, presence and contacts. */
  lineEvent(raw: RawLineEvent): void
  /** The phone has sent a part of its past. */
  history(set: HistorySet): void
  /** On the phone, or by a call. */
  labelChanged(label: RawLabel): void
  restriction(lock: { isActive: boolean; untilMs: number | null }): void
  newChats(info: NewChatMessageCapInfo): void
  /** New chats may be refused until the phone sends it again. */
  saltNotStored(error: unknown): void
  /** Something during pairing that nobody here understands, by name. */
  unexpected(name: string): void
}

export interface Wire {
  readonly sock: WASocket
  /** Ends it immediately and reports nothing more. */
  end(): void
  /** Ends it as if the network had; `closed` follows. */
  break(error: Error): void
}

interface WireDeps {
  readonly library: Library
  readonly session: Session
  readonly guard: GuardedRepository
  readonly version: WAVersion
  readonly caches: Caches
  readonly network: LineNetwork
  /** A message of ours, for a phone that could not read it. */
  readonly sentMessage: (id: string) => Promise<proto.IMessage | undefined>
  readonly listener: WireListener
}

/** Opens one connection. The library's socket serves once; another connection is another wire. */
export function openWire(needs: WireDeps): Wire {
  const { library, listener } = needs
  const sock = library.makeWASocket(configOf(needs))
  let isOver = false
  const unlessOver =
    <A extends unknown[]>(act: (...args: A) => void) =>
    (...args: A) => {
      if (!isOver) act(...args)
    }

  listen(needs, sock, unlessOver)
  return {
    sock,
    end() {
      isOver = true
      cut(sock, undefined)
    },
    break(error) {
      if (!isOver) cut(sock, error)
    },
  }

  function listen({ session, guard, caches }: WireDeps, { ev, ws }: WASocket, when: typeof unlessOver): void {
    // It is one; the library's type of it leaves out the stanzas.
    const stanzas = ws as unknown as EventEmitter
    const emit = ws.emit.bind(ws)
    const store = (salt: Uint8Array | null) => void storeSalt(session.keys, salt).catch(listener.saltNotStored)
    ws.emit = (event, ...args: unknown[]) =>
      event === 'message' ? hearingSalts(store, () => emit(event, ...args)) : emit(event, ...args)
    // Fired before the library itself looks at a stanza.
    stanzas.on(
      'frame',
      when((frame: BinaryNode | Uint8Array) => {
        listener.frame()
        if (frame instanceof Uint8Array) return
        // The library does not report every change of a group.
        if (frame.tag === 'notification' && frame.attrs['type'] === 'w:gp2')
          caches.groups.forget(frame.attrs['from'] ?? '')
        const strange = session.isPaired() ? undefined : unknownStanza(frame)
        if (strange !== undefined) listener.unexpected(strange)
        if (session.isPaired() && isUnhandled(frame)) acknowledge(needs, sock, frame)
        noteContents(guard, frame)
        const { participant, participant_pn: number } = frame.attrs
        if (frame.tag === 'notification' && participant !== undefined && number !== undefined)
          listener.lineEvent({ kind: 'author', participant, number })
        const joinRequests = session.isPaired() ? readJoinRequestNotice(frame) : undefined
        if (joinRequests !== undefined) listener.lineEvent(joinRequests)
        const withheld = withheldKind(frame)
        if (withheld !== undefined) listener.unavailable(frame.attrs, withheld)
        keepInOrder(frame)
        classifyStreamError(frame)
      }),
    )
    stanzas.on('CB:ack,class:message', when(listener.ack))
    first(stanzas, 'CB:receipt', (node) => (isOver ? Promise.reject(new Error('over')) : listener.receipt(node)))
    first(stanzas, 'CB:iq,,pair-success', (node) => storePairing(library, session, node))
    // It is acknowledged once it is stored, as everything else that is said.
    intercept(stanzas, 'CB:message', (node, pass) => {
      const post = isOver ? undefined : readChannelPost(node)
      if (post === undefined) return pass()
      return void keepChannelPost(session, post).then(pass, () => {})
    })
    // The library's own listener would show the refs by its own timers, and end the connection after the last one.
    stanzas.removeAllListeners(PAIR_DEVICE)
    stanzas.on(
      PAIR_DEVICE,
      when((node: BinaryNode) => void offerRefs(needs, sock, node)),
    )
    intercept(stanzas, 'CB:notification', (node, pass) => takeNotification(needs, sock, node, pass))
    // Before a pairing it means nothing, and the library would take it for a login.
    intercept(stanzas, 'CB:success', (_node, pass) => session.isPaired() && pass())
    // What fails to be stored is logged there; the next change stores everything again.
    ev.on(
      'creds.update',
      when((update) => {
        void session.save().catch(() => {})
        if (update.me?.name) listener.named()
      }),
    )
    ev.on(
      'connection.update',
      when((update) => {
        if (update.isNewLogin === true) listener.paired()
        if (update.connection === 'open') listener.open()
        if (update.connection === 'close') listener.closed(update.lastDisconnect?.error)
        if (update.reachoutTimeLock) listener.restriction(lockOf(update.reachoutTimeLock))
      }),
    )
    ev.on('message-capping.update', when(listener.newChats))
    ev.on(
      'messages.upsert',
      when(({ messages }) => {
        for (const message of messages) if (isUnreadable(library, message)) listener.unreadable(message)
      }),
    )
    beforeBuffer(ev, {
      'messaging-history.set': when(listener.history),
      'groups.update': when((updates) => {
        for (const update of updates) {
          if (update.id) caches.groups.forget(update.id)
          listener.lineEvent({ kind: 'group', update })
        }
      }),
      'contacts.update': when((contacts) =>
        contacts.forEach((contact) => listener.lineEvent({ kind: 'contact', contact })),
      ),
    })
    ev.on(
      'group-participants.update',
      when((change) => {
        caches.groups.forget(change.id)
        listener.lineEvent({ kind: 'participants', change })
      }),
    )
    ev.on(
      'groups.upsert',
      when((groups) => groups.forEach((group) => listener.lineEvent({ kind: 'joined', group }))),
    )
    ev.on(
      'labels.edit',
      when(({ id, name, color, deleted }) => listener.labelChanged({ id, name, color, deleted })),
    )
    ev.on(
      'call',
      when((calls) => calls.forEach((call) => listener.lineEvent({ kind: 'call', call }))),
    )
    ev.on(
      'presence.update',
      when((update) => listener.lineEvent({ kind: 'presence', update })),
    )
  }
}

function configOf(needs: WireDeps): UserFacingSocketConfig {
  const { library, session, guard, version, caches, sentMessage } = needs
  return {
    version,
    auth: { creds: session.creds, keys: session.keys },
    logger: silentLogger,
    browser: browserOf(library),
    connectTimeoutMs: CONNECT_MS,
    keepAliveIntervalMs: KEEP_ALIVE_MS,
    defaultQueryTimeoutMs: CONNECT_MS,
    // While a linked device is online the phone stays silent.
    markOnlineOnConnect: false,
    syncFullHistory: false,
    // As it comes it looks at none of the MACs of what the phone's owner has set.
    appStateMacVerification: { patch: true, snapshot: true },
    // Handed on to `fetch`; the type is the browser's, which knows no dispatcher.
    options: { dispatcher: needs.network.transfer.dispatcher } as RequestInit,
    ...(needs.network.agent && { agent: needs.network.agent }),
    // A fault of the storage must be reported, not waited for.
    transactionOpts: { maxCommitRetries: 2, delayBetweenTriesMs: 200 },
    userDevicesCache: caches.devices,
    msgRetryCounterCache: caches.retries,
    cachedGroupMetadata: async (id) => caches.groups.get(id),
    getMessage: async ({ id }) => (id ? sentMessage(id) : undefined),
    makeSignalRepository: guard.make,
  }
}

/** What this device calls itself, in the registration and in every code. */
export const browserOf = ({ Browsers }: Library) => Browsers.macOS('Chrome')

/** The library's own log would contain registration secrets. Its events show what it does. */
export const silentLogger: NonNullable<UserFacingSocketConfig['logger']> = {
  level: 'silent',
  child: () => silentLogger,
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
}

function noteContents(guard: GuardedRepository, { tag, attrs, content }: BinaryNode): void {
  if (tag !== 'message' || !Array.isArray(content)) return
  for (const child of content) {
    if (child.tag === 'enc' && child.content instanceof Uint8Array) guard.noteStanza(child.content, attrs)
  }
}

/**
 * Why a message comes without its content. The library reports some of these as nothing at all. Without a word for it
 * the phone is asked for the content instead.
 */
function withheldKind({ tag, content }: BinaryNode): string | undefined {
  if (tag !== 'message' || !Array.isArray(content)) return undefined
  if (content.some((child) => child.tag === 'enc' || child.tag === 'plaintext')) return undefined
  return content.find((child) => child.tag === 'unavailable')?.attrs['type']
}

/**
 * The library takes a backlog one after another and everything else at once, so that what is said after a reconnect
 * overtakes what was said before it. Marked as of the backlog, every message takes its turn.
 */
function keepInOrder({ tag, attrs }: BinaryNode): void {
  if (tag === 'message') attrs['offline'] ??= '0'
}

/**
 * The library takes every stream error without a code for a refused session, and after some of those the number would
 * have to be paired again. It only says that the stream has ended, as the library reports it when nothing is said.
 */
function classifyStreamError({ tag, attrs, content }: BinaryNode): void {
  if (tag !== 'stream:error' || attrs['code'] !== undefined) return
  const isConflict = Array.isArray(content) && content.some((child) => child.tag === 'conflict')
  if (!isConflict) attrs['code'] = STREAM_ENDED
}
const STREAM_ENDED = '428'

const PAIR_DEVICE = 'CB:iq,type:set,pair-device'

async function offerRefs({ library, listener }: WireDeps, { sendNode }: WASocket, node: BinaryNode): Promise<void> {
  const { S_WHATSAPP_NET: to, getBinaryNodeChild, getBinaryNodeChildren } = library
  try {
    await sendNode({ tag: 'iq', attrs: { to, type: 'result', id: node.attrs['id'] ?? '' } })
  } catch {
    // The connection has ended meanwhile, and its end is reported.
    return
  }
  const refs = getBinaryNodeChildren(getBinaryNodeChild(node, 'pair-device'), 'ref')
  listener.refs(refs.map((ref) => bytesIn(ref).toString()))
}

function takeNotification(needs: WireDeps, sock: WASocket, node: BinaryNode, pass: () => void): void {
  const { library, session, listener } = needs
  const notice = session.isPaired() ? undefined : readPairingNotice(library, node)
  // The library acknowledges nothing before it knows who it is.
  const isOurs = notice !== undefined || session.creds.me === undefined
  const error = notice && isMalformed(notice) ? PARSING_ERROR : undefined
  if (isOurs) acknowledge(needs, sock, node, error)
  if (notice === undefined) pass()
  else listener.pairingNotice(notice)
}

/** If the connection has ended meanwhile, the network brings it again. */
function acknowledge({ library }: WireDeps, { sendNode }: WASocket, node: BinaryNode, error?: number): void {
  sendNode(library.buildAckStanza(node, error)).catch(() => {})
}

type EarlyEvents = { readonly [E in keyof BaileysEventMap]?: (data: BaileysEventMap[E]) => void }

/**
 * Takes these events when they happen. The library collects them first: it may hold them back for 30 seconds, and it
 * leaves out messages of the past that it has seen before, also in the answer to a question for them.
 */
function beforeBuffer(ev: BaileysEventEmitter, acts: EarlyEvents): void {
  const emit = ev.emit.bind(ev)
  ev.emit = (event, data) => {
    acts[event]?.(data)
    return emit(event, data)
  }
}

/** Runs `act` before the existing listeners; if it fails they are not called. */
function first(stanzas: EventEmitter, event: string, act: (node: BinaryNode) => Promise<void>): void {
  // The failing side logs it; the network redelivers what was not acknowledged.
  intercept(stanzas, event, (node, pass) => void act(node).then(pass, () => {}))
}

/** Runs `act` instead of the existing listeners; `pass` calls them. */
function intercept(stanzas: EventEmitter, event: string, act: (node: BinaryNode, pass: () => void) => unknown): void {
  const others = stanzas.listeners(event)
  stanzas.removeAllListeners(event)
  stanzas.on(event, (node: BinaryNode) => {
    act(node, () => others.forEach((other) => void other.call(stanzas, node)))
  })
}

/**
 * The network counts the device as paired once it has our answer, so the session is stored before that: a process that
 * is killed in between has either both or neither.
 */
async function storePairing(library: Library, session: Session, node: BinaryNode): Promise<void> {
  let paired: ReturnType<Library['configureSuccessfulPairing']>
  try {
    paired = library.configureSuccessfulPairing(node, session.creds)
  } catch {
    // Forged or malformed: the library finds the same, and ends the connection.
    return
  }
  const { signalIdentities = [] } = session.creds
  Object.assign(session.creds, paired.creds)
  const saving = session.save()
  // The library does all of this again, and adds the identity to those it finds.
  Object.assign(session.creds, { signalIdentities })
  await saving
}

/** A stub in place of a message: the key was missing, or the network had nothing that could be decrypted. */
const isUnreadable = ({ proto: { WebMessageInfo } }: Library, { messageStubType, message }: WAMessage): boolean =>
  messageStubType === WebMessageInfo.StubType.CIPHERTEXT && !message

const lockOf = ({ isActive = false, timeEnforcementEnds }: ReachoutTimelockState) => ({
  isActive,
  untilMs: timeEnforcementEnds?.getTime() ?? null,
})

/** The library would wait half a minute for a silent network to say goodbye. */
function cut({ end, ws }: WASocket, error: Error | undefined): void {
  void end(error)
  // Private in the library's types; there is no other way to its socket.
  const { socket } = ws as unknown as { readonly socket: { terminate(): void } | null }
  socket?.terminate()
}
