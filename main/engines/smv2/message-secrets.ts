import { createDecipheriv, hkdfSync } from 'node:crypto'
import type { AuthenticationCreds } from 'baileys'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { Seal } from '../../kernel/seal.ts'
import { decryptedIn } from './journal-row.ts'
import type { LoadLibrary } from './library.ts'
import type { SealedContent } from './parse-message.ts'
import type { PersonName } from './people.ts'
import type { DecryptedMessage } from './repository.ts'
import { senderOfStanza } from './sender.ts'
import type { Sent } from './sent.ts'
import { inboundByEngineId } from './store.ts'
import { secretOf } from './unwrap.ts'

/** What something about a message is encrypted with. */
interface MessageSecret {
  readonly secret: Uint8Array
  /** Who wrote the message; null: this account. */
  readonly author: PersonName | null
}

export interface MessageSecrets {
  /** Of a message of the last day. Several if somebody gave theirs the id of another. */
  find(id: InstanceId, engineId: string, me: AuthenticationCreds['me']): Promise<readonly MessageSecret[]>
}

interface MessageSecretsDeps {
  readonly db: Pick<Db, 'read'>
  readonly seal: Seal
  readonly sent: Pick<Sent, 'messageOf'>
  readonly loadLibrary: LoadLibrary
}

const ALIKE = 8

/** Phones put a secret into each message. It is in the journal of received messages, and with what was sent. */
export function createMessageSecrets({ db, seal, sent, loadLibrary }: MessageSecretsDeps): MessageSecrets {
  async function secretIn({ plain }: DecryptedMessage): Promise<Uint8Array | undefined> {
    const library = await loadLibrary()
    const bytes = library.unpadRandomMax16(Buffer.from(plain, 'base64'))
    return secretOf(library.proto.Message.decode(bytes))
  }

  return {
    async find(instanceId, engineId, me) {
      const found: MessageSecret[] = []
      const own = await sent.messageOf(instanceId, engineId)
      const ownSecret = own && secretOf(own)
      if (ownSecret) found.push({ secret: ownSecret, author: null })
      for (const row of await db.read(inboundByEngineId, { instanceId, engineId, limit: ALIKE })) {
        const message = decryptedIn(seal, row)
        const speaker = senderOfStanza(message.stanza, me)
        // What cannot be decoded has no secret.
        const secret = speaker && (await secretIn(message).catch(() => undefined))
        if (!speaker || !secret) continue
        found.push({ secret, author: speaker.isFromMe ? null : (speaker.participant ?? speaker.chat) })
      }
      return found
    },
  }
}

interface SealedEdit extends SealedContent {
  readonly target: string
  readonly secret: Uint8Array
  /** Every address of the author of the message. */
  readonly authors: readonly string[]
  /** Every address of the person who changes it. */
  readonly editors: readonly string[]
}

/**
 * What the words of a message were changed to. Either side may be named by number or by hidden id, depending on the
 * version of the phone, so all are tried.
 * @returns undefined when none fits, as with a forged edit.
 */
export function openEdit({ target, secret, authors, editors, payload, iv }: SealedEdit): Buffer | undefined {
  for (const author of authors) {
    for (const editor of editors) {
      const key = hkdfSync('sha256', secret, '', `${target}${author}${editor}Message Edit`, KEY_BYTES)
      const plain = decrypt(Buffer.from(key), payload, iv)
      if (plain) return plain
    }
  }
  return undefined
}

const KEY_BYTES = 32
const TAG_BYTES = 16

function decrypt(key: Buffer, payload: Uint8Array, iv: Uint8Array): Buffer | undefined {
  try {
    const cipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
    cipher.setAuthTag(payload.subarray(-TAG_BYTES))
    return Buffer.concat([cipher.update(payload.subarray(0, -TAG_BYTES)), cipher.final()])
  } catch {
    return undefined
  }
}
