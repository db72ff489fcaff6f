import { ApiError } from '../../contract/errors.ts'
import type { PasskeyView, QrView } from '../../contract/instance.ts'
import { PASSKEY_ORIGIN } from '../../contract/passkey.ts'
import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import type { Engine, EngineInstance, PasskeyState, QrState } from '../../engines/engine.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { Log } from '../../kernel/log.ts'
import { callEngine, engineOf, toEngineInstance, type Engines } from './engines.ts'
import { getInstance, notFound, refuseRecreating } from './find.ts'
import type { Lifecycle } from './lifecycle.ts'
import { requireDiscard, type DiscardSession } from './session.ts'
import type { Instance } from './store.ts'
import type { RunExclusive } from './keyed-mutex.ts'

interface Deps {
  readonly db: Db
  readonly engines: Engines
  readonly log: Log
  readonly lifecycle: Lifecycle
  readonly discardSession: DiscardSession
  readonly runExclusive: RunExclusive
  /** Instances whose engine did not respond when pairing started; the next read tries again. */
  readonly unstarted: Set<InstanceId>
}

export interface Qr {
  /** The state of pairing; the first read of a new instance starts it. @param phone also requests a pairing code. */
  read(id: InstanceId, phone: string | undefined): Promise<QrView>
  /** Restarts pairing. @throws ApiError invalid_state while a session is active. */
  refresh(id: InstanceId): Promise<QrView>
}

type Pairing = NonNullable<Engine['pairing']>

export function createQr({ db, engines, log, lifecycle, discardSession, runExclusive, unstarted }: Deps): Qr {
  /** Only from `created`: reading must not start another pairing that nobody asked for. */
  function startPairing(id: InstanceId, subject: EngineInstance): Promise<void> {
    return runExclusive(id, async () => {
      const { status } = await getInstance(db, id)
      if (status === 'created') {
        await db.commit((tx) => lifecycle.apply(tx, id, { kind: 'start', by: 'pairing' }))
        unstarted.add(id)
      } else if (status !== 'connecting') unstarted.delete(id)
      if (!unstarted.has(id)) return
      await callEngine(log, subject, () => engineOf(engines, subject).start(subject))
      unstarted.delete(id)
    })
  }

  return {
    async read(id, phone) {
      const instance = await getInstance(db, id)
      const subject = toEngineInstance(instance)
      const pairing = pairingOf(engineOf(engines, instance))
      if (instance.status === 'created' || unstarted.has(id)) await startPairing(id, subject)
      if (instance.status === 'connected') return CONNECTED
      // The engine would still report the old session.
      if (instance.status === 'recreating') return withoutCode('pending', 0)
      const asksForCode = phone !== undefined && PAIRS.has(instance.status)
      const state = await callEngine(log, subject, () =>
        asksForCode ? pairing.code(subject, phone) : pairing.current(subject),
      )
      return qrView(await getInstance(db, id), state)
    },

    refresh: (id) =>
      runExclusive(id, async () => {
        const before = await getInstance(db, id)
        const subject = toEngineInstance(before)
        const pairing = pairingOf(engineOf(engines, before))
        refuseActiveSession(before)
        const after = await db.commit((tx) => lifecycle.apply(tx, id, { kind: 'start', by: 'pairing' }))
        if (!after) throw notFound()
        refuseRecreating(after)
        await requireDiscard(discardSession, before)
        const state = await callEngine(log, subject, () => pairing.refresh(subject))
        return qrView(await getInstance(db, id), state)
      }),
  }
}

/** An active or reconnecting session is not discarded for a QR code. */
function refuseActiveSession({ status, loggedIn }: Instance): void {
  if (status === 'connected') {
    throw new ApiError(
      'invalid_state',
      'The instance is connected. To pair another phone, disconnect it with logout first.',
    ).because('already_connected')
  }
  if (status === 'connecting' && loggedIn) {
    throw new ApiError(
      'invalid_state',
      'The instance is reconnecting with its stored session. Wait, or disconnect it first.',
    ).because('reconnecting')
  }
}

const PAIRS: ReadonlySet<Instance['status']> = new Set<Instance['status']>(['created', 'connecting', 'qr'])

const withoutCode = (state: QrView['state'], attempt: number): QrView => ({
  qr: null,
  pairing_code: null,
  state,
  expires_at: null,
  attempt,
})
const CONNECTED = withoutCode('connected', 0)

/** Always has a state: where the engine reports none, the status of the instance decides. */
export async function qrView(
  { status }: Instance,
  { state, text, pairingCode, expiresAtMs, attempt, passkey }: QrState,
): Promise<QrView> {
  if (status === 'connected') return CONNECTED
  if (status === 'passkey_required' || (passkey && PAIRS.has(status))) {
    return { ...withoutCode('passkey_required', attempt), ...(passkey && { passkey: passkeyView(passkey) }) }
  }
  // Pairing has ended until a refresh or restart, so `pending` would be wrong.
  if (!PAIRS.has(status)) return withoutCode('expired', attempt)
  // The engine is ahead of its own signal: a client that sends on "connected" would get not_ready.
  if (state === 'connected') return withoutCode('pending', attempt)
  const qr = text === null ? null : await qrPicture(text)
  return { qr, pairing_code: pairingCode, state, expires_at: isoTimeOrNull(expiresAtMs), attempt }
}

const passkeyView = ({ step, options, deadlineMs, code, attempt }: PasskeyState): PasskeyView => ({
  step,
  ...(options && { options }),
  origin: PASSKEY_ORIGIN,
  deadline: isoTime(deadlineMs),
  ...(code !== null && { code }),
  attempt,
})

const MARGIN = 4
const LEAST_PIXELS = 320

/** Dark on white with a quiet zone of four modules: phones fail at inverted or small codes. */
export async function qrPicture(text: string): Promise<string> {
  const { default: QRCode } = await import('qrcode')
  const modules = QRCode.create(text).modules.size + 2 * MARGIN
  const scale = Math.ceil(LEAST_PIXELS / modules)
  return QRCode.toDataURL(text, { margin: MARGIN, scale, color: { dark: '#000000ff', light: '#ffffffff' } })
}

export function pairingOf({ pairing }: Engine): Pairing {
  if (pairing) return pairing
  throw new ApiError(
    'engine_mismatch',
    'This engine does not use QR codes. Connect the instance on its onboarding page or an access link.',
  )
}
