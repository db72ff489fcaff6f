import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { Random } from '../../kernel/ids.ts'
import type { Seal } from '../../kernel/seal.ts'
import type { Secret } from '../../kernel/secret.ts'
import { sealName, type Keyring } from './keyring.ts'
import { newSecret } from './secret.ts'
import type { WebhookWithSecret } from './contract/endpoints.ts'
import { expiredSecrets, rotateSecret, sealedKeysOfAccount, toWebhook, wipeExpiredSecrets } from './store.ts'

interface RotationDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly random: Random
  readonly seal: Seal
  readonly keyring: Keyring
}

export function noSuchWebhook(): ApiError {
  return new ApiError('not_found', 'There is no webhook with this id.')
}

export function createRotation({ db, clock, random, seal, keyring }: RotationDeps) {
  /** @throws ApiError sealed when the vault is locked: a secret that cannot be kept is not handed out. */
  async function rotate(accountId: string, id: string, overlapSeconds: number): Promise<WebhookWithSecret> {
    const secret = newSecret(random)
    const secretEnc = seal.seal(secret, sealName(id))
    const row = await db.commit((tx) => {
      const now = clock.now()
      const keeps = overlapSeconds > 0
      return tx.one(rotateSecret, {
        id,
        accountId,
        secretEnc,
        secretLast4: secret.last4,
        keepsPrevious: keeps ? 1 : 0,
        prevExpiresAt: keeps ? now + overlapSeconds * 1_000 : null,
        now,
      })
    })
    if (!row) throw noSuchWebhook()
    return { ...toWebhook(row), secret: secret.open() }
  }

  /** Secrets whose overlap is over are gone from disk and memory within a minute. */
  async function wipeExpired(): Promise<void> {
    const expired = await db.read(expiredSecrets, { now: clock.now() })
    if (expired.length === 0) return
    await db.commit((tx) => tx.run(wipeExpiredSecrets, { now: clock.now() }))
    for (const { seq } of expired) keyring.forget(seq)
  }

  /** Every secret a delivery of this account to this address may be signed with now. */
  async function signingSecrets(accountId: string, url: string): Promise<Secret[]> {
    const rows = await db.read(sealedKeysOfAccount, { accountId })
    const wanted = URL.parse(url)?.href
    return rows
      .filter((row) => URL.parse(row.url)?.href === wanted)
      .flatMap((row) => {
        const { current, previous, previousUntilMs } = keyring.open(row)
        return previous && clock.now() < previousUntilMs ? [current, previous] : [current]
      })
  }

  return { rotate, wipeExpired, signingSecrets }
}
