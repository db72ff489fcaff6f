import { dialledNumber } from '../../../kernel/phone-number.ts'

/** Spellings under which Meta has accounts from before a numbering plan changed. */
const ACCOUNTS: readonly (readonly [dialled: RegExp, account: string])[] = [
  // Mexico: mobiles had a 1.
  [/^52([2-9]\d{9})$/, '521$1'],
  // Argentina: mobiles have a 9 from abroad, though some write them without.
  [/^54([1-8]\d{9})$/, '549$1'],
  // Brazil: the ninth digit came later than the accounts, except around São Paulo and Rio de Janeiro.
  [/^(55[3-9]\d)9([6-9]\d{7})$/, '$1$2'],
]

/** How Meta writes the person with this number in answers and callbacks. */
export function waIdOf(number: string): string {
  const dialled = dialledNumber(number)
  const found = ACCOUNTS.find(([pattern]) => pattern.test(dialled))
  return found === undefined ? dialled : dialled.replace(...found)
}
