import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Due } from '../../kernel/due.ts'
import type { InstanceId, Random } from '../../kernel/ids.ts'
import type { Log } from '../../kernel/log.ts'
import type { Alarms } from '../alarms.ts'
import type { EngineSignal, PasskeyFailure, QrState } from '../engine.ts'
import type { Library } from './library.ts'
import { createPairingView } from './pairing.ts'
import { createPairingCodes } from './pairing-code.ts'
import type { PairingNotice } from './pairing-notices.ts'
import { createPasskeyLink } from './passkey-link.ts'
import { connectionLost, type PasskeyCeremony } from './passkey.ts'
import { createQrCodes } from './qr-codes.ts'
import type { LinkingConnection } from './query.ts'
import type { Session } from './session.ts'
import { browserOf } from './wire.ts'

interface PairingCourseDeps {
  readonly clock: Clock
  readonly alarms: Alarms
  readonly random: Random
  readonly log: Log
  readonly id: InstanceId
  publish(signal: EngineSignal): void
  /** The one that can pair now. */
  connection(): LinkingConnection | undefined
  /** A code is on screen: nothing has to come until somebody scans it. */
  shown(): void
  /** The time to pair is over: ends the connection. */
  usedUp(): void
  /** Ends the connection, and forgets the session that did not pair. */
  abandon(): void
  /** Reconnects immediately for another code. */
  refresh(): Promise<unknown>
  start(): Promise<void>
}

/** How a phone is linked over the connections of one instance: QR codes, pairing codes and the passkey. */
export interface PairingCourse {
  /** The network offers to pair. */
  offered(refs: readonly string[]): void
  noticed(notice: PairingNotice, connection: LinkingConnection): void
  /** The phone has confirmed. */
  paired(): void
  /** Somebody asks to pair. */
  begin(): void
  /** The connection was lost, and its codes with it; the time to pair keeps running. */
  beginAgain(): void
  expire(): void
  isOver(): boolean
  /** The connection has ended, and with it whatever was under way, without a word. */
  stop(): void
  /** The connection was lost. @returns whether a confirmation with the passkey was under way; that is reported. */
  lost(code: number | null): boolean
  state(): QrState
  isConfirming(): boolean
  hasCodeFor(phone: string): boolean
  /** @throws ApiError rate_limited, upstream_unavailable */
  code(phone: string): Promise<void>
  /** @throws ApiError for what is refused. */
  passkey(act: (ceremony: PasskeyCeremony) => Promise<void>): Promise<void>
}

/**
 * The network ends a connection that does not pair after about 210 seconds, and a pairing code is valid for 180. A code
 * that is asked for later than this gets a new connection.
 */
const CODE_WITHIN_MS = 20_000
/** Until the network has offered to pair. */
const CODE_WAIT_MS = 15_000
const SECRET_BYTES = 32
/** How the library ends a pairing that was signed with another secret. */
const BAD_SIGNATURE = 500

export function createPairingCourse(deps: PairingCourseDeps): PairingCourse {
  const { clock, alarms, random, log, id, publish } = deps
  const view = createPairingView(clock)
  const codes = createPairingCodes({ clock, random })
  const qrCodes = createQrCodes({ clock, alarms, id, show, usedUp: endQrCodes })
  const passkeys = createPasskeyLink({ clock, alarms, random, id, changed: passkeyChanged, failed: passkeyFailed })
  const codeEnd = `pairing code ${id}`
  let firstCode = Promise.withResolvers<unknown>()
  /** When this connection offered to pair. */
  let offeredMono = Infinity
  /** Of the code on screen. */
  let drawnSecret: string | undefined

  function show(ref: string, expiresAt: Due): void {
    const connection = deps.connection()
    if (!connection) return
    deps.shown()
    const { library, session } = connection
    drawnSecret = session.creds.advSecretKey
    const shown = view.show(qrText(library, session, ref), expiresAt)
    firstCode.resolve(undefined)
    publish({ kind: 'qr', ...shown })
  }

  function drawAgain({ creds }: Pick<Session, 'creds'>): void {
    // A phone on which the pairing code was typed has agreed on another secret, which must stay. So has one that was
    // told of a passkey.
    if (creds.advSecretKey !== drawnSecret) return
    creds.advSecretKey = random.bytes(SECRET_BYTES).toString('base64')
    qrCodes.redraw()
  }

  /** No QR code is left. A pairing code that is still valid keeps the connection. */
  function endQrCodes(): void {
    const leftMs = view.endQrCodes()
    if (leftMs > 0) alarms.set(codeEnd, clock.now() + Math.ceil(leftMs), endQrCodes)
    else deps.usedUp()
  }

  function stopCodes(): void {
    qrCodes.stop()
    alarms.clear(codeEnd)
  }

  function passkeyChanged(): void {
    stopCodes()
    view.freeze()
    publish({ kind: 'passkey_required' })
  }

  /** The refs, the challenge and the secrets can't be used again: a retry starts over, once somebody asks. */
  function passkeyFailed(reason: PasskeyFailure, code: number | null): void {
    log.info({ event: 'smv2.passkey_failed', instanceId: id, reason, code })
    deps.abandon()
    view.expire()
    publish({ kind: 'passkey_failed', reason, code })
  }

  function beginAgain(): void {
    firstCode = Promise.withResolvers()
    view.beginAgain()
  }

  function untilOffered(): Promise<unknown> {
    const { promise, reject } = Promise.withResolvers<never>()
    const name = `code ${id}`
    alarms.set(name, clock.now() + CODE_WAIT_MS, () => reject(notYet()))
    return Promise.race([firstCode.promise, promise]).finally(() => alarms.clear(name))
  }

  return {
    offered(refs) {
      offeredMono = clock.mono()
      qrCodes.offer(refs)
    },
    noticed(notice, connection) {
      switch (notice.kind) {
        case 'refresh':
          return drawAgain(connection.session)
        case 'passkey':
          return passkeys.requested(connection, notice.options)
        case 'continuation':
          return passkeys.current()?.continued(notice.primary)
        case 'refused':
      }
    },
    paired() {
      stopCodes()
      if (passkeys.end()) publish({ kind: 'passkey_accepted' })
    },
    begin() {
      beginAgain()
      view.begin()
    },
    beginAgain,
    expire: view.expire,
    isOver: view.isOver,
    stop() {
      offeredMono = Infinity
      stopCodes()
      passkeys.end()
    },
    lost(code) {
      if (!passkeys.end(connectionLost())) return false
      passkeyFailed(code === BAD_SIGNATURE ? 'refused' : 'connection_lost', code)
      return true
    },
    state() {
      const passkey = passkeys.current()?.view()
      return passkey ? { ...view.current(), state: 'passkey_required', passkey } : view.current()
    },
    isConfirming: () => passkeys.current() !== undefined,
    hasCodeFor: view.hasCodeFor,
    async code(phone) {
      codes.requireAllowed(phone)
      if (clock.mono() - offeredMono > CODE_WITHIN_MS) await deps.refresh()
      await deps.start()
      await untilOffered()
      const asked = deps.connection()
      if (!asked) return
      const code = await codes.request(asked, phone)
      if (asked === deps.connection()) view.showCode(phone, code)
    },
    passkey: (act) => act(passkeys.require()),
  }
}

/** The text a phone scans. The secret goes to nobody else: with it the phone vouches for this device. */
function qrText(library: Library, { creds }: Pick<Session, 'creds'>, ref: string): string {
  const { noiseKey, signedIdentityKey, advSecretKey } = creds
  const key = ({ public: bytes }: { public: Uint8Array }) => Buffer.from(bytes).toString('base64')
  return library.buildPairingQRData(ref, key(noiseKey), key(signedIdentityKey), advSecretKey, browserOf(library))
}

const notYet = () =>
  new ApiError(
    'upstream_unavailable',
    'WhatsApp has not offered to pair yet, so there is no pairing code. Check the internet connection and try again.',
  ).because('pairing_not_offered')
