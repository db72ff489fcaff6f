import type { Seal } from '../../kernel/seal.ts'
import type { DecryptedMessage } from './repository.ts'
import { INBOUND_JOURNAL } from './session.ts'
import type { InboundRow } from './store.ts'

/** Written in this form by the guarded repository of the same session. @throws ApiError sealed; SealBroken */
export const decryptedIn = (seal: Seal, { instanceId, digest, sealed }: InboundRow): DecryptedMessage =>
  JSON.parse(seal.openBytes(sealed, `smv2:${instanceId}:${INBOUND_JOURNAL}:${digest}`).toString()) as DecryptedMessage
