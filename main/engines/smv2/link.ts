import type { BinaryNode, NewChatMessageCapInfo, proto, WAMessage, WASocket, WAVersion } from 'baileys'
import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { Random } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import { isSealed, SEALED_RETRY_MS } from '../../kernel/seal.ts'
import type { Alarms } from '../alarms.ts'
import type { EngineInstance, EngineSignal, QrState } from '../engine.ts'
import { createCloseHandler } from './close-handler.ts'
import { createBackoff } from './backoff.ts'
import { createCaches } from './caches.ts'
import { codeOf, expireSecondsOf, RESTART, verdictOn } from './close-codes.ts'
import type { ConnectQueue } from './connect-queue.ts'
import type { Library, LoadLibrary } from './library.ts'
import type { LineNetworks } from './line-networks.ts'
import { createLiveness, type Liveness } from './liveness.ts'
import { createPairingCourse } from './pairing-course.ts'
import type { PasskeyCeremony } from './passkey.ts'
import type { Protocol } from './protocol.ts'
import type { HistorySet, RawLabel, RawLineEvent } from './raw-line-event.ts'
import { createGuardedRepository, createMutex, type GuardedRepository, type DecryptedMessage } from './repository.ts'
import { newSession, loadSession, type Session, type SessionDeps } from './session.ts'
import { createSessionStatusStore } from './session-status.ts'
import { openWire, type Wire } from './wire.ts'

export interface LinkDeps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly alarms: Alarms
  readonly gate: ConnectQueue
  readonly loadLibrary: LoadLibrary
  readonly protocol: Protocol
  readonly networks: Pick<LineNetworks, 'refresh' | 'network'>
  readonly session: SessionDeps
  readonly listener: LinkListener
}

/** Receives what arrives over a link. */
export interface LinkListener {
  publish(instance: EngineInstance, signal: EngineSignal): void
  receipt(instance: EngineInstance, node: BinaryNode, open: OpenLink): Promise<void>
  ack(instance: EngineInstance, node: BinaryNode): void
  unreadable(instance: EngineInstance, message: WAMessage, open: OpenLink): void
  /** A message the network keeps from linked devices. */
  unavailable(instance: EngineInstance, attributes: Readonly<Record<string, string>>, kind: string): void
  lineEvent(instance: EngineInstance, open: OpenLink, raw: RawLineEvent): void
  history(instance: EngineInstance, set: HistorySet): void
  labelChanged(instance: EngineInstance, label: RawLabel): void
  restriction(instance: EngineInstance, lock: { isActive: boolean; untilMs: number | null }): void
  newChats(instance: EngineInstance, open: OpenLink, info: NewChatMessageCapInfo): void
  opened(instance: EngineInstance): void
  /** The profile name is known now. */
  named(instance: EngineInstance): void
  /** Queries over the link will no longer be answered. */
  closed(instance: EngineInstance): void
  findDecrypted(instance: EngineInstance, digest: string): Promise<DecryptedMessage | undefined>
  sentMessage(instance: EngineInstance, id: string): Promise<proto.IMessage | undefined>
}

/** An open connection, and what is needed to use it. */
export interface OpenLink {
  readonly library: Library
  readonly sock: WASocket
  readonly guard: GuardedRepository
  readonly session: Session
  readonly groups: ReturnType<typeof createCaches>['groups']
}

export interface Link {
  /** Connects with the stored session, or starts pairing. Calling it twice is harmless. */
  start(): Promise<void>
  resume(hasBegun: boolean): Promise<'connected' | 'connecting' | 'no_session'>
  begin(): void
  stop(): Promise<void>
  logout(): Promise<void>
  wipe(): Promise<void>
  qr(): QrState
  code(phone: string): Promise<QrState>
  refresh(): Promise<QrState>
  /** @throws ApiError for what is refused. */
  passkey(act: (ceremony: PasskeyCeremony) => Promise<void>): Promise<QrState>
  open(): OpenLink | undefined
  /** Credentials as stored or in use; undefined: the instance is not paired. */
  credentials(): Promise<Pick<Session, 'creds' | 'keys'> | undefined>
  readonly liveness: Liveness
  /** Ends the connection so that it heals by itself: it stands, and carries nothing. */
  renew(): void
  /** Connects again, without an event: another way to the network is to be used. One that is stopped stays so. */
  reconnect(): void
  close(): Promise<void>
}

type Phase = 'down' | 'waiting' | 'opening' | 'open'

/** The connection of one instance to the network: pairing, disconnections and reconnecting. */
export function createLink(needs: LinkDeps, instance: EngineInstance): Link {
  const { db, clock, random, log, alarms, listener } = needs
  const { id } = instance
  const caches = createCaches(clock)
  const alone = createMutex()
  const sessionStatus = createSessionStatusStore(db, id)
  const backoff = createBackoff(clock, random)
  const liveness = createLiveness({ clock, alarms, id, onSilence: () => current?.wire.break(silence()) })
  /** Events of an earlier connection are ignored. */
  let generation = 0
  let phase: Phase = 'down'
  let session: Session | undefined
  let current: { wire: Wire; open: OpenLink } | undefined
  let isWanted = false
  let version: WAVersion = [0, 0, 0]
  const publish = (signal: EngineSignal) => listener.publish(instance, signal)
  const isPaired = () => session?.isPaired() === true
  const pairing = createPairingCourse({
    ...{ clock, alarms, random, log, id, publish },
    connection: () => current?.open,
    // The library looks after the keep-alive meanwhile.
    shown: () => liveness.stop(),
    usedUp: () => current?.wire.break(codesUsedUp()),
    abandon() {
      end()
      session = undefined
    },
    refresh: () => link.refresh(),
    start: () => link.start(),
  })
  const closeHandler = createCloseHandler({
    ...{ instance, clock, random, backoff, sessionStatus, protocol: needs.protocol, publish },
    ...{ connect, connectAgain, beginPairingAgain },
    version: () => version,
    dropSession: () => void (session = undefined),
    expire() {
      session = undefined
      pairing.expire()
    },
  })

  function end(): void {
    generation++
    phase = 'down'
    current?.wire.end()
    current = undefined
    liveness.stop()
    pairing.stop()
    alarms.clear(again)
    listener.closed(instance)
  }

  async function connect(): Promise<void> {
    const mine = ++generation
    phase = 'opening'
    try {
      const library = await needs.loadLibrary()
      session ??= (await loadSession(library, needs.session, instance)) ?? newSession(library, needs.session, instance)
      await session.settled()
      await needs.networks.refresh(id)
      version = await needs.protocol.current(library.DEFAULT_CONNECTION_CONFIG.version, instance.accountId)
      await needs.gate.waitForTurn(instance)
      if (mine === generation) current = wireUp(library, session, mine)
    } catch (error) {
      if (mine !== generation) return
      if (isSealed(error)) return connectAgain(SEALED_RETRY_MS)
      // The storage failed; the session is still valid.
      log.warn({ event: 'smv2.not_connected', instanceId: id, cause: cause(error) })
      connectAgain(backoff.next())
    }
  }

  function wireUp(library: Library, using: Session, mine: number) {
    const guard = createGuardedRepository({
      library,
      alone,
      findDecrypted: (digest) => listener.findDecrypted(instance, digest),
    })
    const isMine = () => mine === generation
    const wire = openWire({
      ...{ library, session: using, guard, version, caches, network: needs.networks.network(id) },
      sentMessage: (engineId) => listener.sentMessage(instance, engineId),
      listener: {
        frame: liveness.frame,
        refs: (refs) => isMine() && !isPaired() && pairing.offered(refs),
        pairingNotice: (notice) => isMine() && !isPaired() && pairing.noticed(notice, open),
        paired: () => isMine() && paired(),
        open: () => isMine() && opened(using),
        named: () => isMine() && phase === 'open' && listener.named(instance),
        closed: (error) => void (isMine() && closed(error)),
        receipt: (node) => listener.receipt(instance, node, open),
        ack: (node) => listener.ack(instance, node),
        unreadable: (message) => listener.unreadable(instance, message, open),
        unavailable: (attributes, kind) => listener.unavailable(instance, attributes, kind),
        lineEvent: (raw) => listener.lineEvent(instance, open, raw),
        history: (set) => listener.history(instance, set),
        labelChanged: (label) => listener.labelChanged(instance, label),
        restriction: (lock) => listener.restriction(instance, lock),
        newChats: (info) => listener.newChats(instance, open, info),
        saltNotStored: (error) => log.warn({ event: 'smv2.salt_not_stored', instanceId: id, cause: cause(error) }),
        unexpected: (name) => log.warn({ event: 'smv2.pairing_unrecognised', instanceId: id, stanza: name }),
      },
    })
    const open: OpenLink = { library, sock: wire.sock, guard, session: using, groups: caches.groups }
    liveness.opening()
    return { wire, open }
  }

  function paired(): void {
    log.info({ event: 'smv2.paired', instanceId: id })
    pairing.paired()
    // The network usually ends the connection now. If it does not, the check for silence will.
    liveness.opening()
  }

  function opened({ creds }: Session): void {
    phase = 'open'
    backoff.stood()
    liveness.opened()
    const { id: jid = '', name } = creds.me ?? {}
    publish({ kind: 'connected', number: digitsOf(jid), name: name === undefined || name === '~' ? null : name })
    listener.opened(instance)
  }

  async function closed(error: unknown): Promise<void> {
    const code = codeOf(error)
    if (pairing.lost(code)) return
    end()
    if (backoff.fell()) closeHandler.stood()
    const expireSeconds = expireSecondsOf(error)
    const isPairingOver = pairing.isOver()
    const verdict = verdictOn({ code, expireSeconds, isPaired: isPaired(), isPairingOver, nowMs: clock.now() })
    log.info({ event: 'smv2.link_closed', instanceId: id, code, verdict: verdict.kind })
    await closeHandler.handle(verdict, code).catch((failure: unknown) => {
      log.error({ event: 'smv2.end_not_recorded', instanceId: id, cause: cause(failure) })
      connectAgain(backoff.next())
    })
  }

  const again = `connect ${id}`

  function connectAgain(waitMs: number): void {
    phase = 'waiting'
    alarms.set(again, clock.now() + waitMs, () => void connect())
  }

  function beginPairingAgain(): void {
    session = undefined
    pairing.beginAgain()
  }

  function beginPairing(): void {
    session = undefined
    pairing.begin()
  }

  /** @returns whether there is a session to connect with; a banned one is discarded here. */
  async function enableSession(): Promise<boolean> {
    const status = await sessionStatus.read()
    if (status === 'ended') await discard()
    if (status === 'none' || status === 'ended') return false
    await sessionStatus.enable()
    return true
  }

  async function discard(): Promise<void> {
    end()
    await session?.settled()
    beginPairing()
    await sessionStatus.wipe()
  }

  function startOver(): void {
    closeHandler.reset()
    backoff.reset()
    void connect()
  }

  const isUnderWay = () => phase === 'opening' || phase === 'open'

  const link: Link = {
    liveness,
    async start() {
      if (isUnderWay()) return
      if (!(await enableSession())) beginPairing()
      // The instance may have been started again meanwhile.
      if (!isUnderWay()) startOver()
    },
    async resume(hasBegun) {
      if (phase === 'open') return 'connected'
      if ((await sessionStatus.read()) !== 'up') return 'no_session'
      isWanted = true
      if (hasBegun && phase === 'down') void connect()
      return 'connecting'
    },
    begin() {
      if (isWanted && phase === 'down') void connect()
    },
    async stop() {
      end()
      await session?.settled()
      session = undefined
      beginPairing()
      await sessionStatus.disable()
    },
    async logout() {
      const leaving = phase === 'open' ? current : undefined
      if (leaving) {
        generation++
        current = undefined
        // It ends the connection itself, once the network has read that this device leaves.
        await leaving.wire.sock.logout()
      }
      await discard()
    },
    wipe: discard,
    qr: () => (phase === 'open' && isPaired() ? CONNECTED : pairing.state()),
    async code(phone) {
      if (!isPaired() && !pairing.isConfirming() && !pairing.hasCodeFor(phone)) await pairing.code(phone)
      return link.qr()
    },
    async refresh() {
      if (isPaired() && isUnderWay()) return link.qr()
      end()
      if (!(await enableSession())) beginPairing()
      startOver()
      return link.qr()
    },
    async passkey(act) {
      await pairing.passkey(act)
      return link.qr()
    },
    open: () => (phase === 'open' ? current?.open : undefined),
    async credentials() {
      if (session?.isPaired()) return session
      return loadSession(await needs.loadLibrary(), needs.session, instance)
    },
    renew: () => current?.wire.break(silence()),
    reconnect() {
      if (phase === 'down') return
      backoff.reset()
      if (current) return current.wire.break(restart())
      alarms.clear(again)
      void connect()
    },
    async close() {
      end()
      await session?.settled()
    },
  }
  return link
}

const CONNECTED: QrState = { state: 'connected', text: null, pairingCode: null, expiresAtMs: null, attempt: 0 }

/** Nobody asks while the instance is known to be disconnected, so that the link is on its way back. */
export const noLink = () =>
  new ApiError('not_ready', 'The connection to WhatsApp is being restored. Try again in a few seconds.', {
    'Retry-After': '5',
  }).because('reconnecting_now')

/** The end of a link that has gone silent, in the form the library gives its own ends. */
const silence = () => Object.assign(new Error('no response'), { output: { statusCode: SILENT } })
const SILENT = 504

/** The end of a link that is to connect again immediately. */
const restart = () => Object.assign(new Error('another way is to be used'), { output: { statusCode: RESTART } })

const codesUsedUp = () => Object.assign(new Error('nobody paired in time'), { output: { statusCode: 408 } })

/** `12025550123:11@s.whatsapp.net` is device 11 of that number. */
const digitsOf = (jid: string) => jid.split(/[:@]/, 1)[0] ?? ''
