import { createHmac, timingSafeEqual } from 'node:crypto'
import { LIMITS } from '../../contract/limits.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, Random } from '../../kernel/ids.ts'
import { insertMeta, LINK_KEY_OF, readMeta, removeMeta } from '../../kernel/meta.ts'

interface LinksDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly random: Random
}

/** Kinds of signed links. The kind is part of the signed text, so a link of one kind is not valid as another. */
const KINDS = {
  /** A recording. It needs no API key, because an audio element loads it. */
  rec: LIMITS.voiceLinkSeconds,
  /** The test page of a widget. */
  'widget-test': 1_800,
} as const
type Kind = keyof typeof KINDS
/** Clocks are constantly adjusted by fractions of a second. */
const CLOCK_SLACK_SECONDS = 60

interface Target {
  readonly id: string
  readonly accountId: AccountId
}

export type SignedLinks = ReturnType<typeof createSignedLinks>

/**
 * Signs and verifies links. They expire, or end when anyone who could have created them loses access. Each account
 * has its own key, which is deleted to end its links; a restore deletes all keys (storage/held-work.ts).
 */
export function createSignedLinks({ db, clock, random }: LinksDeps) {
  const nameOf = (accountId: AccountId) => `${LINK_KEY_OF}${accountId}`

  const sign = (key: string, kind: Kind, id: string, expires: number): string =>
    createHmac('sha256', Buffer.from(key, 'base64')).update(`${kind}\n${id}\n${expires}`).digest('base64url')

  // The signature only prevents guessing of links, so the key is stored unencrypted.
  async function keyOf(accountId: AccountId): Promise<string> {
    const fresh = random.bytes(32).toString('base64')
    return (await readMeta(db, nameOf(accountId))) ?? db.commit((tx) => insertMeta(tx, nameOf(accountId), fresh))
  }

  return {
    async to(kind: Kind, { id, accountId }: Target): Promise<{ expires: number; signature: string }> {
      const key = await keyOf(accountId)
      const expires = Math.floor(clock.now() / 1_000) + KINDS[kind]
      return { expires, signature: sign(key, kind, id, expires) }
    },
    async isValid(kind: Kind, { id, accountId }: Target, expires: string, signature: string): Promise<boolean> {
      if (!/^\d{1,12}$/.test(expires)) return false
      const leftSeconds = Number(expires) - clock.now() / 1_000
      // Later than any valid expiry: the clock was set back since.
      if (leftSeconds <= 0 || leftSeconds > KINDS[kind] + CLOCK_SLACK_SECONDS) return false
      const key = await readMeta(db, nameOf(accountId))
      if (key === undefined) return false
      const [mine, theirs] = [Buffer.from(sign(key, kind, id, Number(expires))), Buffer.from(signature)]
      return mine.length === theirs.length && timingSafeEqual(mine, theirs)
    },
    /** Invalidates the account's links. People who still have access get new ones. */
    endOf: (tx: Tx, accountId: AccountId) => removeMeta(tx, nameOf(accountId)),
  }
}
