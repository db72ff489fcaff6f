import { dialledNumber } from '../../../kernel/phone-number.ts'

/** Numbers whose WhatsApp accounts date from before a change of the numbering plan and keep the old spelling. */
const ACCOUNTS: readonly (readonly [dialled: RegExp, account: string])[] = [
  // Mexico: mobile numbers had a 1.
  [/^52([2-9]\d{9})$/, '521$1'],
  // Argentina: mobile numbers have a 9 when dialled from abroad, but some people omit it.
  [/^54([1-8]\d{9})$/, '549$1'],
  // Brazil: the ninth digit was introduced after the accounts, except around São Paulo and Rio de Janeiro.
  [/^(55[3-9]\d)9([6-9]\d{7})$/, '$1$2'],
]

/** How Meta writes the person with this number in answers and callbacks. */
export function waIdOf(number: string): string {
  const dialled = dialledNumber(number)
  const found = ACCOUNTS.find(([pattern]) => pattern.test(dialled))
  return found === undefined ? dialled : dialled.replace(...found)
}
