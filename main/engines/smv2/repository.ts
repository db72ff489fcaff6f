import { createHash } from 'node:crypto'
import { AsyncLocalStorage } from 'node:async_hooks'
import type { SignalDataSet, SignalKeyStoreWithTransaction, SocketConfig } from 'baileys'
import type { Tx } from '../../kernel/db.ts'
import type { Library } from './library.ts'
import { forgetReplaced } from './lid-mappings.ts'
import { INBOUND_JOURNAL, OUTBOUND_JOURNAL } from './session.ts'

type MakeRepository = SocketConfig['makeSignalRepository']
type Repository = ReturnType<MakeRepository>

/** What is stored of a received message: enough to read it again without the network. */
export interface DecryptedMessage {
  /** Attributes of the stanza it came in. */
  readonly stanza: Readonly<Record<string, string>>
  /** Decrypted, padding included, in base64. */
  readonly plain: string
}

/** A message of ours on its way. */
export interface OutgoingEncryption {
  readonly engineId: string
  /** Runs in the commit that uses up the first key, before a byte of the message can leave. */
  readonly store: (tx: Tx) => Promise<void>
  /** Undoes `store`. */
  readonly forget: () => Promise<void>
  /** From here on a byte of it may have left. */
  isEncrypted: boolean
  /** Nobody waits for it any more, so it must not leave. */
  isGivenUp: boolean
}

export interface GuardedRepository {
  /** For the library's configuration. */
  readonly make: MakeRepository
  /** The stanza that these encrypted bytes lie in. */
  noteStanza(content: Uint8Array, attributes: Readonly<Record<string, string>>): void
  /** Everything that is encrypted within belongs to the passage. */
  carry<T>(passage: OutgoingEncryption, act: () => Promise<T>): Promise<T>
}

interface GuardedRepositoryDeps {
  readonly library: Library
  /** The instance's, for an ended connection may still be busy with what it got while the next one stands. */
  readonly alone: Mutex
  readonly findDecrypted: (digest: string) => Promise<DecryptedMessage | undefined>
}

/**
 * The library's encryption, with what it leaves open closed:
 * - what was decrypted is stored in the very commit that uses its key up. As it comes, a process that is killed after
 *   that commit has lost the message: the network brings it again, and the key is gone.
 * - a message of ours is stored in the very commit that uses up the first key for it, so that after a crash it is known
 *   which messages may have left.
 * - a key with which something was encrypted is stored before a byte leaves. As it comes, it is stored after that, and a
 *   process that is killed between the two encrypts the next message with the same key, which phones drop unseen.
 * - a session is used by one at a time. As it comes, the library takes turns by address, and a session lies under two:
 *   writing to a number while something from the same person's hidden id is read, each overwrites what the other stored,
 *   and from then on neither side can read the other.
 * - the keys of a stranger are used only when they are signed by that stranger.
 * - a number or hidden id that changed hands is not looked up where it was before.
 */
export function createGuardedRepository({ library, alone, findDecrypted }: GuardedRepositoryDeps): GuardedRepository {
  const passages = new AsyncLocalStorage<OutgoingEncryption>()
  const stanzas = new WeakMap<Uint8Array, Readonly<Record<string, string>>>()
  // Outside of the transaction around a whole send, which is committed only once everything has left.
  const outside = AsyncLocalStorage.snapshot()

  async function reading(
    keys: SignalKeyStoreWithTransaction,
    { content, chat }: { content: Uint8Array; chat: string },
    decrypt: () => Promise<Uint8Array>,
  ): Promise<Uint8Array> {
    const digest = createHash('sha256').update(content).digest('hex')
    const readOnce = async () => {
      const before = await findDecrypted(digest)
      if (before !== undefined) return Buffer.from(before.plain, 'base64')
      const plain = await decrypt()
      const message: DecryptedMessage = {
        stanza: stanzas.get(content) ?? {},
        plain: Buffer.from(plain).toString('base64'),
      }
      // Not a key of the library, but stored in the same transaction.
      await keys.set({ [INBOUND_JOURNAL]: { [digest]: message } } as unknown as SignalDataSet)
      return plain
    }
    return alone(() => keys.transaction(readOnce, chat))
  }

  async function writing<T>(keys: SignalKeyStoreWithTransaction, chat: string, encrypt: () => Promise<T>): Promise<T> {
    const passage = passages.getStore()
    if (passage?.isGivenUp) throw givenUp()
    const encryptFirst = async (journaled: OutgoingEncryption) => {
      const { engineId, store } = journaled
      // Not a key of the library, but stored in the same transaction.
      await keys.set({ [OUTBOUND_JOURNAL]: { [engineId]: store } } as unknown as SignalDataSet)
      return encrypt()
    }
    const encrypted = await alone(() =>
      outside(() => {
        if (passage === undefined || passage.isEncrypted) return encrypt()
        return keys.transaction(() => encryptFirst(passage), chat)
      }),
    )
    // While it was being encrypted, its sender may have been told that it did not leave.
    if (passage?.isGivenUp) {
      if (!passage.isEncrypted) await passage.forget()
      throw givenUp()
    }
    if (passage) passage.isEncrypted = true
    return encrypted
  }

  function guarded(repository: Repository, keys: SignalKeyStoreWithTransaction): Repository {
    return {
      ...repository,
      decryptMessage: (message) =>
        reading(keys, { content: message.ciphertext, chat: message.jid }, () => repository.decryptMessage(message)),
      decryptGroupMessage: (message) =>
        reading(keys, { content: message.msg, chat: message.group }, () => repository.decryptGroupMessage(message)),
      encryptMessage: (message) => writing(keys, message.jid, () => repository.encryptMessage(message)),
      encryptGroupMessage: (message) => writing(keys, message.group, () => repository.encryptGroupMessage(message)),
      async injectE2ESession(bundle) {
        const { identityKey, signedPreKey } = bundle.session
        if (!library.Curve.verify(identityKey, signedPreKey.publicKey, signedPreKey.signature)) {
          throw new Error('the keys of this device are not signed by it')
        }
        await alone(() => outside(() => repository.injectE2ESession(bundle)))
      },
      migrateSession: (from, to) => alone(() => outside(() => repository.migrateSession(from, to))),
    }
  }

  return {
    make: (auth, logger, findHidden) => {
      const repository = library.DEFAULT_CONNECTION_CONFIG.makeSignalRepository(auth, logger, findHidden)
      forgetReplaced(repository.lidMapping, auth.keys)
      // The library gives its repository keys with transactions, and asserts so itself.
      return guarded(repository, auth.keys as SignalKeyStoreWithTransaction)
    },
    noteStanza: (content, attributes) => void stanzas.set(content, attributes),
    carry: (passage, act) => passages.run(passage, act),
  }
}

const givenUp = () => new Error('nobody waits for this message any more')

/** Does one thing after another, in the order they are asked for. */
export type Mutex = <T>(act: () => Promise<T>) => Promise<T>

export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve()
  return (act) => {
    const done = last.then(act)
    last = done.catch(() => {})
    return done
  }
}
