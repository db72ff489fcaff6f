import type { Secret } from '../kernel/secret.ts'

/** Storage for a few secrets outside the database, such as the master key. */
export interface Vault {
  readonly kind: 'keychain' | 'file' | 'memory'
  /** @returns null if there is no such entry; a locked keychain returns null too. @throws VaultUnavailable */
  read(name: string): Promise<Secret | null>
  /** @throws VaultUnavailable */
  write(name: string, secret: Secret): Promise<void>
  remove(name: string): Promise<void>
  /** Stores, reads and removes a random value, because reading alone proves nothing. @throws VaultUnavailable */
  probe(): Promise<void>
}

/** The vault cannot be read now; it may work later. The message says why, for the person at the machine. */
export class VaultUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'VaultUnavailable'
  }
}

/** It refused after such a long time that a person must have dismissed its prompt. */
export class VaultDismissed extends VaultUnavailable {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'VaultDismissed'
  }
}

/** It did not answer within the time limit, and may still do so: a prompt may be open. */
export class VaultTimeout extends VaultUnavailable {
  constructor(message: string) {
    super(message)
    this.name = 'VaultTimeout'
  }
}

/** Waiting will not open the vault: wrong passphrase, missing file, contradicting setting. The start fails. */
export class VaultError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'VaultError'
  }
}
