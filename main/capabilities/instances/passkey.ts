import { ApiError } from '../../contract/errors.ts'
import type { PasskeyCredential, QrView } from '../../contract/instance.ts'
import type { Engine, EngineInstance, QrState } from '../../engines/engine.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { Log } from '../../kernel/log.ts'
import { callEngine, engineOf, toEngineInstance, type Engines } from './engines.ts'
import { getInstance } from './find.ts'
import { pairingOf, qrView } from './qr.ts'

interface Deps {
  readonly db: Db
  readonly engines: Engines
  readonly log: Log
}

export interface Passkey {
  /** Passes on what the owner's browser signed. @throws ApiError invalid_state, validation_error, upstream_unavailable */
  respond(id: InstanceId, answer: { attempt: number; credential: PasskeyCredential }): Promise<QrView>
  /** @throws ApiError invalid_state, upstream_unavailable */
  confirm(id: InstanceId, answer: { attempt: number; match: boolean }): Promise<QrView>
}

type Ceremony = NonNullable<NonNullable<Engine['pairing']>['passkey']>

export function createPasskey({ db, engines, log }: Deps): Passkey {
  // Not queued per instance: a disconnect or a new QR code must be able to end a confirmation that waits for the network.
  async function answer(
    id: InstanceId,
    act: (ceremony: Ceremony, subject: EngineInstance) => Promise<QrState>,
  ): Promise<QrView> {
    const instance = await getInstance(db, id)
    const subject = toEngineInstance(instance)
    const { passkey } = pairingOf(engineOf(engines, instance))
    if (!passkey) throw passkeyNotAsked()
    const state = await callEngine(log, subject, () => act(passkey, subject))
    return qrView(await getInstance(db, id), state)
  }

  return {
    respond: (id, given) => answer(id, (ceremony, subject) => ceremony.respond(subject, given)),
    confirm: (id, given) => answer(id, (ceremony, subject) => ceremony.confirm(subject, given)),
  }
}

const passkeyNotAsked = () =>
  new ApiError(
    'invalid_state',
    'No passkey is requested now (passkey_not_asked). GET …/qr shows the current step.',
  ).because('passkey_ended')
