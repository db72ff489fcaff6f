import { expect, test } from 'vitest'
import type { Library } from '../../../main/engines/smv2/library.ts'
import { createGuardedRepository, createMutex, type OutgoingEncryption } from '../../../main/engines/smv2/repository.ts'

const WORDS = { jid: '12025550101@s.whatsapp.net', data: Buffer.from('Hello') }

/** The library's encryption, which takes as long as the test wants. */
function slowRepository() {
  const encryption = Promise.withResolvers<{ type: 'msg'; ciphertext: Buffer }>()
  /** What the library's keys do with a journal: they store it with the keys, or nothing. */
  let pending: (() => Promise<void>)[] = []
  const keys = {
    set: async (data: { leaving: Record<string, () => Promise<void>> }) =>
      void pending.push(...Object.values(data.leaving)),
    async transaction<T>(work: () => Promise<T>): Promise<T> {
      pending = []
      const done = await work()
      for (const store of pending) await store()
      return done
    },
  }
  const lidMapping = { storeLIDPNMappings: async () => {} }
  const made = { encryptMessage: () => encryption.promise, lidMapping }
  const library = { DEFAULT_CONNECTION_CONFIG: { makeSignalRepository: () => made } } as unknown as Library
  const guard = createGuardedRepository({ library, alone: createMutex(), findDecrypted: async () => undefined })
  const repository = guard.make({ creds: {}, keys } as never, {} as never)
  const stored: string[] = []
  const passage: OutgoingEncryption = {
    engineId: '3EB0',
    store: async () => void stored.push('stored'),
    forget: async () => void stored.push('forgotten'),
    isEncrypted: false,
    isGivenUp: false,
  }
  const encrypting = guard.carry(passage, () => repository.encryptMessage(WORDS))
  return {
    passage,
    stored,
    encrypting,
    finish: () => encryption.resolve({ type: 'msg', ciphertext: Buffer.from('sealed') }),
  }
}

test('a message counts as possibly sent from the moment of its encryption', async () => {
  const { passage, stored, encrypting, finish } = slowRepository()
  expect([passage.isEncrypted, stored]).toEqual([false, []])
  finish()
  await encrypting
  expect([passage.isEncrypted, stored]).toEqual([true, ['stored']])
})

test('a message that is given up during encryption is not sent', async () => {
  const { passage, stored, encrypting, finish } = slowRepository()
  const outcome = expect(encrypting).rejects.toThrow('nobody waits')
  passage.isGivenUp = true
  finish()
  await outcome
  expect([passage.isEncrypted, stored]).toEqual([false, ['stored', 'forgotten']])
})
