import { LIMITS } from '../../contract/limits.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { AccountId, Random } from '../../kernel/ids.ts'
import { Secret } from '../../kernel/secret.ts'

interface Code {
  readonly secret: Secret
  readonly accountId: AccountId
  readonly untilMono: number
}

export interface SignInCodes {
  /** For the address that is printed: it signs in once, within a quarter of an hour. */
  readonly make: (accountId: AccountId) => Secret
  /** @returns whose console it opens; undefined when it is unknown, was used or is too old. */
  readonly redeem: (text: string) => AccountId | undefined
}

const CODE_BYTES = 24
/** A program that prints addresses all day keeps only the latest usable. */
const MAX_CODES = 8

/** Codes live in memory: a service that was started again has printed a new one. */
export function createSignInCodes({ clock, random }: { clock: Pick<Clock, 'mono'>; random: Random }): SignInCodes {
  let codes: Code[] = []
  const usable = () => codes.filter(({ untilMono }) => untilMono > clock.mono())
  return {
    make(accountId) {
      const secret = new Secret(random.bytes(CODE_BYTES).toString('base64url'))
      const untilMono = clock.mono() + LIMITS.signInCodeMinutes * 60_000
      codes = [...usable(), { secret, accountId, untilMono }].slice(-MAX_CODES)
      return secret
    },
    redeem(text) {
      // Each one is compared, so that the time says nothing about which came near.
      const [found] = usable().filter(({ secret }) => secret.equals(text))
      codes = codes.filter((code) => code !== found)
      return found?.accountId
    },
  }
}
