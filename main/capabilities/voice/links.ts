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

/** What a signed link opens. The name is part of what is signed: a link of one kind is no link of another. */
const KINDS = {
  /** A recording. It needs no key: an audio element follows it. */
  rec: LIMITS.voiceLinkSeconds,
  /** The test page of a widget. */
  'widget-test': 1_800,
} as const
type Kind = keyof typeof KINDS
/** Clocks are adjusted by fractions of a second all the time. */
const CLOCK_SLACK_SECONDS = 60

interface Target {
  readonly id: string
  readonly accountId: AccountId
}

export type SignedLinks = ReturnType<typeof createSignedLinks>

/**
 * Signs and verifies links. They expire, or end when anyone who could have created them loses access. Each
 * account has a key of its own, which is removed to end its links; a restore removes all of them (storage/held-work.ts).
 */
export function createSignedLinks({ db, clock, random }: LinksDeps) {
  const nameOf = (accountId: AccountId) => `${LINK_KEY_OF}${accountId}`

  const sign = (key: string, kind: Kind, id: string, expires: number): string =>
    createHmac('sha256', Buffer.from(key, 'base64')).update(`${kind}\n${id}\n${expires}`).digest('base64url')

  // It guards against guessing, not against reading, so it is kept in the open part of the database.
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
      // More is left than there ever was: the clock was set back since.
      if (leftSeconds <= 0 || leftSeconds > KINDS[kind] + CLOCK_SLACK_SECONDS) return false
      const key = await readMeta(db, nameOf(accountId))
      if (key === undefined) return false
      const [mine, theirs] = [Buffer.from(sign(key, kind, id, Number(expires))), Buffer.from(signature)]
      return mine.length === theirs.length && timingSafeEqual(mine, theirs)
    },
    /** Links of the account stop opening. People who still have access get new ones. */
    endOf: (tx: Tx, accountId: AccountId) => removeMeta(tx, nameOf(accountId)),
  }
}
