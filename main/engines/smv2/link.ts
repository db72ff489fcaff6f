import type { BinaryNode, proto, WAMessage, WASocket } from 'baileys'
import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { Random } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import { isSealed, SEALED_RETRY_MS } from '../../kernel/seal.ts'
import type { Alarms } from '../alarms.ts'
import type { EngineInstance, EngineSignal, PasskeyFailure, QrState } from '../engine.ts'
import { createCloseHandler } from './close-handler.ts'
import { createBackoff } from './backoff.ts'
import { createCaches } from './caches.ts'
import { codeOf, expireSecondsOf, RESTART, verdictOn } from './close-codes.ts'
import type { ConnectQueue } from './connect-queue.ts'
import type { Library, LoadLibrary } from './library.ts'
import type { LineNetworks } from './line-networks.ts'
import { createLiveness, type Liveness } from './liveness.ts'
import { createPairingView } from './pairing.ts'
import { createPairingCodes } from './pairing-code.ts'
import type { PairingNotice } from './pairing-notices.ts'
import { createPasskeyLink } from './passkey-link.ts'
import { connectionLost, type PasskeyCeremony } from './passkey.ts'
import type { Protocol } from './protocol.ts'
import { createQrCodes } from './qr-codes.ts'
import type { HistorySet, RawLabel, RawLineEvent } from './raw-line-event.ts'
import { createGuardedRepository, createMutex, type GuardedRepository, type DecryptedMessage } from './repository.ts'
import { newSession, loadSession, type Session, type SessionDeps } from './session.ts'
import { createSessionStatusStore } from './session-status.ts'
import { browserOf, openWire, type Wire } from './wire.ts'

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
  opened(instance: EngineInstance): void
  /** The profile name is known now. */
  named(instance: EngineInstance): void
  /** Whatever was asked over the link will not be answered any more. */
  closed(instance: EngineInstance): void
  findDecrypted(instance: EngineInstance, digest: string): Promise<DecryptedMessage | undefined>
  sentMessage(instance: EngineInstance, id: string): Promise<proto.IMessage | undefined>
}

/** A link that stands, and what is needed to speak over it. */
export interface OpenLink {
  readonly library: Library
  readonly sock: WASocket
  readonly guard: GuardedRepository
  readonly session: Session
  readonly groups: ReturnType<typeof createCaches>['groups']
}

export interface Link {
  /** Takes up the stored session, or begins pairing. Twice is harmless. */
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

/**
 * The network ends a connection that does not pair after about 210 seconds, and a pairing code is valid for 180. Asked
 * for later than this, it gets a new connection.
 */
const CODE_WITHIN_MS = 20_000
/** Until the network has said how it wants to be paired with. */
const CODE_WAIT_MS = 15_000

/** One instance's connection to the network, from its pairing on: what ends it, and how it comes back. */
export function createLink(needs: LinkDeps, instance: EngineInstance): Link {
  const { db, clock, random, log, alarms, listener } = needs
  const { id } = instance
  const caches = createCaches(clock)
  const alone = createMutex()
  const sessionStatus = createSessionStatusStore(db, id)
  const backoff = createBackoff(clock, random)
  const pairing = createPairingView(clock)
  const pairingCodes = createPairingCodes({ clock, random })
  const liveness = createLiveness({ clock, alarms, id, onSilence: () => current?.wire.break(silence()) })
  /** Events of an earlier connection are ignored. */
  let generation = 0
  let phase: Phase = 'down'
  let session: Session | undefined
  let current: { wire: Wire; open: OpenLink } | undefined
  let isWanted = false
  let firstCode = Promise.withResolvers<unknown>()
  const qrCodes = createQrCodes({ clock, alarms, id, show: showCode, usedUp: endPairing })
  const passkeys = createPasskeyLink({ clock, alarms, random, id, changed: passkeyChanged, failed: passkeyFailed })
  /** When this connection offered to pair. */
  let offeredMono = Infinity
  /** Of the code on screen. */
  let drawnSecret: string | undefined

  const publish = (signal: EngineSignal) => listener.publish(instance, signal)
  const isPaired = () => session?.isPaired() === true
  const closeHandler = createCloseHandler({
    ...{ instance, clock, random, backoff, sessionStatus, protocol: needs.protocol, publish },
    ...{ connect, connectAgain, beginPairingAgain },
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
    offeredMono = Infinity
    liveness.stop()
    qrCodes.stop()
    passkeys.end()
    alarms.clear(again)
    alarms.clear(codeEnd)
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
      const version = await needs.protocol.current()
      await needs.gate.waitForTurn(id)
      if (mine === generation) current = wireUp(library, session, version, mine)
    } catch (error) {
      if (mine !== generation) return
      if (isSealed(error)) return connectAgain(SEALED_RETRY_MS)
      // The storage is at fault, and not the session.
      log.warn({ event: 'smv2.not_connected', instanceId: id, cause: cause(error) })
      connectAgain(backoff.next())
    }
  }

  function wireUp(library: Library, using: Session, version: Awaited<ReturnType<Protocol['current']>>, mine: number) {
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
        refs: (refs) => isMine() && !isPaired() && offered(refs),
        pairingNotice: (notice) => isMine() && !isPaired() && noticed(notice, open),
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
        unexpected: (name) => log.warn({ event: 'smv2.pairing_unrecognised', instanceId: id, stanza: name }),
      },
    })
    const open: OpenLink = { library, sock: wire.sock, guard, session: using, groups: caches.groups }
    liveness.opening()
    return { wire, open }
  }

  function offered(refs: readonly string[]): void {
    offeredMono = clock.mono()
    qrCodes.offer(refs)
  }

  function showCode(ref: string, expiresAtMs: number): void {
    if (!current) return
    const { library, session: using } = current.open
    // Nothing has to come until somebody scans. The library looks after the keep-alive.
    liveness.stop()
    drawnSecret = using.creds.advSecretKey
    const shown = pairing.show(qrText(library, using, ref), expiresAtMs)
    firstCode.resolve(undefined)
    publish({ kind: 'qr', ...shown })
  }

  function noticed(notice: PairingNotice, open: OpenLink): void {
    switch (notice.kind) {
      case 'refresh':
        return drawAgain(open.session)
      case 'passkey':
        return passkeys.requested(open, notice.options)
      case 'continuation':
        return passkeys.current()?.continued(notice.primary)
      case 'refused':
    }
  }

  function drawAgain({ creds }: Session): void {
    // A phone on which the pairing code was typed has agreed on another secret, which must stay; so has one that was
    // told of a passkey.
    if (creds.advSecretKey !== drawnSecret) return
    creds.advSecretKey = random.bytes(SECRET_BYTES).toString('base64')
    qrCodes.redraw()
  }

  function passkeyChanged(): void {
    qrCodes.stop()
    alarms.clear(codeEnd)
    pairing.freeze()
    publish({ kind: 'passkey_required' })
  }

  /** Refs, challenge and secrets are of no use any more: a retry starts over, once somebody asks. */
  function passkeyFailed(reason: PasskeyFailure, code: number | null): void {
    log.info({ event: 'smv2.passkey_failed', instanceId: id, reason, code })
    end()
    session = undefined
    pairing.expire()
    publish({ kind: 'passkey_failed', reason, code })
  }

  /** No QR code is left. A pairing code that is still valid keeps the connection. */
  function endPairing(): void {
    const leftMs = pairing.endQrCodes()
    if (leftMs > 0) alarms.set(codeEnd, clock.now() + Math.ceil(leftMs), endPairing)
    else current?.wire.break(codesUsedUp())
  }

  function paired(): void {
    log.info({ event: 'smv2.paired', instanceId: id })
    qrCodes.stop()
    alarms.clear(codeEnd)
    if (passkeys.end()) publish({ kind: 'passkey_accepted' })
    // The network ends the connection now; where it does not, silence does.
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
    if (passkeys.end(connectionLost()))
      return passkeyFailed(code === BAD_SIGNATURE ? 'refused' : 'connection_lost', code)
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
  const codeEnd = `pairing code ${id}`

  function connectAgain(waitMs: number): void {
    phase = 'waiting'
    alarms.set(again, clock.now() + waitMs, () => void connect())
  }

  function beginPairingAgain(): void {
    session = undefined
    firstCode = Promise.withResolvers()
    pairing.beginAgain()
  }

  function beginPairing(): void {
    beginPairingAgain()
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
      // Somebody else may have started it meanwhile.
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
    qr() {
      if (phase === 'open' && isPaired()) return CONNECTED
      const passkey = passkeys.current()?.view()
      return passkey ? { ...pairing.current(), state: 'passkey_required', passkey } : pairing.current()
    },
    async code(phone) {
      if (isPaired() || passkeys.current() || pairing.hasCodeFor(phone)) return link.qr()
      pairingCodes.requireAllowed(phone)
      if (clock.mono() - offeredMono > CODE_WITHIN_MS) await link.refresh()
      await link.start()
      await withinLimit(firstCode.promise)
      const asked = current
      if (!asked) return link.qr()
      const code = await pairingCodes.request(asked.open, phone)
      if (asked === current) pairing.showCode(phone, code)
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
      await act(passkeys.require())
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

  function withinLimit(awaited: Promise<unknown>): Promise<unknown> {
    const { promise, reject } = Promise.withResolvers<never>()
    const name = `code ${id}`
    alarms.set(name, clock.now() + CODE_WAIT_MS, () => reject(notYet()))
    return Promise.race([awaited, promise]).finally(() => alarms.clear(name))
  }
}

const CONNECTED: QrState = { state: 'connected', text: null, pairingCode: null, expiresAtMs: null, attempt: 0 }

const notYet = () =>
  new ApiError(
    'upstream_unavailable',
    'WhatsApp has not offered to pair yet, so there is no pairing code. Check the internet connection and try again.',
  )

/** The end of a link that has gone silent, in the form the library gives its own ends. */
const silence = () => Object.assign(new Error('no response'), { output: { statusCode: SILENT } })
const SILENT = 504

/** The end of a link that is to connect again immediately. */
const restart = () => Object.assign(new Error('another way is to be used'), { output: { statusCode: RESTART } })

/** How the library ends a pairing that was signed with another secret. */
const BAD_SIGNATURE = 500

const codesUsedUp = () => Object.assign(new Error('nobody paired in time'), { output: { statusCode: 408 } })

const SECRET_BYTES = 32

/** The text a phone scans. The secret goes to nobody else: with it the phone vouches for this device. */
function qrText(library: Library, { creds }: Session, ref: string): string {
  const { noiseKey, signedIdentityKey, advSecretKey } = creds
  const key = ({ public: bytes }: { public: Uint8Array }) => Buffer.from(bytes).toString('base64')
  return library.buildPairingQRData(ref, key(noiseKey), key(signedIdentityKey), advSecretKey, browserOf(library))
}

/** `12025550123:11@s.whatsapp.net` is device 11 of that number. */
const digitsOf = (jid: string) => jid.split(/[:@]/, 1)[0] ?? ''
