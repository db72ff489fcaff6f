import { readNumberList } from '../instances/number-list.ts'

/** The most numbers that one request accepts. */
const MOST = 50

/** @returns why a list of phone numbers is invalid; false if it is valid. */
export function numbersError(
  text: string,
  t: (key: string, params?: Record<string, unknown>) => string,
): string | false {
  const { numbers, wrong } = readNumberList(text)
  if (wrong > 0 || numbers.length === 0) return t('groups.add.wrong')
  return numbers.length > MOST && t('groups.add.tooMany', { n: MOST })
}
