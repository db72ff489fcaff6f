import { readNumberList } from '../instances/number-list.ts'

/** As many as one call takes. */
const MOST = 50

/** @returns what is wrong with a list of phone numbers; false: nothing. */
export function numbersError(
  text: string,
  t: (key: string, params?: Record<string, unknown>) => string,
): string | false {
  const { numbers, wrong } = readNumberList(text)
  if (wrong > 0 || numbers.length === 0) return t('groups.add.wrong')
  return numbers.length > MOST && t('groups.add.tooMany', { n: MOST })
}
