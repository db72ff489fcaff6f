import { LIMITS } from '../../contract/limits.ts'
import type { ConsoleRole } from '../../contract/operation.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Tx } from '../../kernel/db.ts'
import type { AccountId, Random } from '../../kernel/ids.ts'
import { Secret } from '../../kernel/secret.ts'

/** Whose console a credential opens. */
export interface SignInGrant {
  readonly accountId: AccountId
  readonly role: ConsoleRole
  /** Whose sessions they are, besides the account's. */
  readonly memberId?: string
  /** With a link that was made for them. */
  readonly byLink?: boolean
  /** Runs in the commit that makes the session: the credential may have ended since it was checked. */
  readonly isStillValid?: (tx: Tx) => Promise<boolean>
}

interface Code {
  readonly secret: Secret
  readonly grant: SignInGrant
  readonly untilMono: number
  isTaken: boolean
}

/** A grant of a code, which is used up. */
interface Redeemed extends SignInGrant {
  /** The sign-in failed for another reason, so the code can be used again. */
  readonly giveBack: () => void
}

export interface SignInCodes {
  /** For the address that is printed: it signs in once, within a quarter of an hour. */
  readonly make: (grant: SignInGrant) => Secret
  /** @returns whose console it opens; undefined when it is unknown, was used or is too old. */
  readonly redeem: (text: string) => Redeemed | undefined
  /** Codes of the account that were not used stop working. */
  readonly endOf: (accountId: AccountId) => void
}

const CODE_BYTES = 24
/** Per account. A program that prints addresses all day keeps only the latest usable. */
const MAX_CODES = 8

/** Codes live in memory: a service that was started again has printed a new one. */
export function createSignInCodes({ clock, random }: { clock: Pick<Clock, 'mono'>; random: Random }): SignInCodes {
  let codes: Code[] = []
  const usable = () => codes.filter(({ untilMono, isTaken }) => !isTaken && untilMono > clock.mono())
  return {
    make(grant) {
      const secret = new Secret(random.bytes(CODE_BYTES).toString('base64url'))
      const untilMono = clock.mono() + LIMITS.signInCodeMinutes * 60_000
      const isSameAccount = (code: Code) => code.grant.accountId === grant.accountId
      const others = usable().filter((code) => !isSameAccount(code))
      codes = [
        ...others,
        ...usable()
          .filter(isSameAccount)
          .slice(1 - MAX_CODES),
        { secret, grant, untilMono, isTaken: false },
      ]
      return secret
    },
    redeem(text) {
      // Each one is compared, so that the time says nothing about which came near.
      const [found] = usable().filter(({ secret }) => secret.equals(text))
      if (found === undefined) return undefined
      found.isTaken = true
      return { ...found.grant, giveBack: () => void (found.isTaken = false) }
    },
    endOf(accountId) {
      codes = codes.filter(({ grant }) => grant.accountId !== accountId)
    },
  }
}
