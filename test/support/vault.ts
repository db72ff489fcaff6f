import type { Keytar } from '../../main/vault/keychain.ts'
import { VaultUnavailable, type Vault } from '../../main/vault/vault.ts'
import type { Secret } from '../../main/kernel/secret.ts'

/** A vault in memory that can be locked the way a Linux keyring is: reading shows nothing, writing refuses. */
export interface MemoryVault extends Vault {
  lock(): void
  unlock(): void
}

export function memoryVault(): MemoryVault {
  const entries = new Map<string, Secret>()
  let isLocked = false
  const refuse = () => {
    if (isLocked) throw new VaultUnavailable('The vault of this test is locked.')
  }
  return {
    kind: 'memory',
    read: async (name) => (isLocked ? null : (entries.get(name) ?? null)),
    async write(name, secret) {
      refuse()
      entries.set(name, secret)
    },
    async remove(name) {
      refuse()
      entries.delete(name)
    },
    async probe() {
      refuse()
    },
    lock: () => void (isLocked = true),
    unlock: () => void (isLocked = false),
  }
}

/**
 * What the system may do: `works`; `locked` without a prompt (get says null, set refuses, delete says false);
 * `hangs` with a prompt nobody answers; `absent`: no service on the bus.
 */
export type KeychainMood = 'works' | 'locked' | 'hangs' | 'absent'

/** Stands for the system's keychain behind keytar, with the texts Linux gives. */
export interface StandInKeytar extends Keytar {
  readonly entries: Map<string, string>
  /** Every call made, oldest first. */
  readonly calls: readonly string[]
  /** Calls that have not returned. */
  readonly outstanding: number
  become(mood: KeychainMood): void
  /** Lets what hangs return: the prompt was answered. */
  answerPrompts(): void
}

export function standInKeytar(mood: KeychainMood = 'works'): StandInKeytar {
  const entries = new Map<string, string>()
  const calls: string[] = []
  let prompts: (() => void)[] = []
  let outstanding = 0

  const meet = async (call: string): Promise<void> => {
    calls.push(call)
    outstanding++
    try {
      if (mood === 'hangs') await new Promise<void>((answer) => prompts.push(answer))
      if (mood === 'absent') throw new Error('The name org.freedesktop.secrets was not provided by any .service files')
    } finally {
      outstanding--
    }
  }

  return {
    entries,
    calls,
    get outstanding() {
      return outstanding
    },
    become: (next) => void (mood = next),
    answerPrompts() {
      for (const answer of prompts) answer()
      prompts = []
    },
    async getPassword(service, account) {
      await meet(`get ${account}`)
      return mood === 'locked' ? null : (entries.get(`${service}/${account}`) ?? null)
    },
    async setPassword(service, account, password) {
      await meet(`set ${account}`)
      if (mood === 'locked') throw new Error('Cannot create an item in a locked collection')
      entries.set(`${service}/${account}`, password)
    },
    async deletePassword(service, account) {
      await meet(`delete ${account}`)
      return mood !== 'locked' && entries.delete(`${service}/${account}`)
    },
  }
}
