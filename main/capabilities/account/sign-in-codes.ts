import { LIMITS } from '../../contract/limits.ts'
import type { ConsoleRole } from '../../contract/operation.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Tx } from '../../kernel/db.ts'
import type { AccountId, Random } from '../../kernel/ids.ts'
import { Secret } from '../../kernel/secret.ts'

/** The account and person that a sign-in credential is for. */
export interface SignInGrant {
  readonly accountId: AccountId
  readonly role: ConsoleRole
  /** The member who signs in, if it is one. */
  readonly memberId?: string
  /** Whether the sign-in used a link made for the member. */
  readonly byLink?: boolean
  /** Runs in the commit that creates the session, because the credential may have ended since it was checked. */
  readonly isStillValid?: (tx: Tx) => Promise<boolean>
}

interface Code {
  readonly secret: Secret
  readonly grant: SignInGrant
  readonly untilMono: number
  isTaken: boolean
}

/** The grant of a code that is now used up. */
interface Redeemed extends SignInGrant {
  /** Makes the code usable again after the sign-in failed for another reason. */
  readonly giveBack: () => void
}

export interface SignInCodes {
  /** For the printed URL: signs in once, within 15 minutes. */
  readonly make: (grant: SignInGrant) => Secret
  /** @returns the grant; undefined when the code is unknown, used or expired. */
  readonly redeem: (text: string) => Redeemed | undefined
  /** Invalidates unused codes of the account. */
  readonly endOf: (accountId: AccountId) => void
}

const CODE_BYTES = 24
/** Limit per account. If a program keeps printing URLs, only the latest stay usable. */
const MAX_CODES = 8

/** Codes are kept in memory: after a restart the service prints a new one. */
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
      // Compares all codes, so that the time does not reveal which one was similar.
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
