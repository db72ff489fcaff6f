import type { Secret } from '../kernel/secret.ts'

/** Where secrets live outside the database: the master key and little else. */
export interface Vault {
  readonly kind: 'keychain' | 'file' | 'memory'
  /** @returns null when it shows nothing under that name, which a locked keychain does too. @throws VaultUnavailable */
  read(name: string): Promise<Secret | null>
  /** @throws VaultUnavailable */
  write(name: string, secret: Secret): Promise<void>
  remove(name: string): Promise<void>
  /** Stores, reads and removes something random: reading alone proves nothing. @throws VaultUnavailable */
  probe(): Promise<void>
}

/** The vault does not answer now; it may later. The message says why, for the person at the machine. */
export class VaultUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'VaultUnavailable'
  }
}

/** It refused after so long that a person must have dismissed its prompt. */
export class VaultDismissed extends VaultUnavailable {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'VaultDismissed'
  }
}

/** It has not answered for as long as anybody waits, and may do so yet: a prompt may still be open. */
export class VaultTimeout extends VaultUnavailable {
  constructor(message: string) {
    super(message)
    this.name = 'VaultTimeout'
  }
}

/** The vault will not open by waiting: a wrong passphrase, a missing file, a contradicting setting. Start stops. */
export class VaultError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'VaultError'
  }
}
