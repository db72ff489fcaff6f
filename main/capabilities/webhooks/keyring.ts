import type { Seal } from '../../kernel/seal.ts'
import type { SigningKeys } from './attempt.ts'

/** The encrypted columns of a webhook. */
export interface SealedKeys {
  readonly seq: number
  readonly id: string
  readonly secretVersion: number
  readonly secretEnc: Uint8Array
  readonly prevSecretEnc: Uint8Array | null
  readonly prevExpiresAtMs: number | null
}

export type Keyring = ReturnType<typeof createKeyring>

/** Opened secrets, kept in memory by version: opening one costs more than signing with it. */
export function createKeyring({ seal }: { seal: Seal }) {
  const opened = new Map<number, SigningKeys & { readonly version: number }>()
  return {
    /** @throws ApiError sealed while the vault is locked. */
    open(row: SealedKeys): SigningKeys {
      const known = opened.get(row.seq)
      // A wiped previous secret leaves the version as it is, so its end time is compared as well.
      if (known?.version === row.secretVersion && known.previousUntilMs === (row.prevExpiresAtMs ?? 0)) return known
      const unseal = (bytes: Uint8Array) => seal.open(bytes, sealName(row.id))
      const keys = {
        version: row.secretVersion,
        current: unseal(row.secretEnc),
        previous: row.prevSecretEnc && unseal(row.prevSecretEnc),
        previousUntilMs: row.prevExpiresAtMs ?? 0,
      }
      opened.set(row.seq, keys)
      return keys
    },
    forget: (seq: number) => void opened.delete(seq),
  }
}

/** Binds an encrypted secret to its webhook: moved to another row it does not open. */
export const sealName = (webhookId: string) => `webhook:${webhookId}`
