import { useI18n } from 'vue-i18n'
import { useAccess } from './access.ts'
import { unitText } from './numbers.ts'
import { textOf, textOfCommand, type ProblemText, type Refusal, type Words } from './problem-text.ts'
import { useReconnected } from './reconnected.ts'

/**
 * @returns the text of a problem, in the language of the window and for its reader. Inside a `computed`, it changes
 * once the service can be reached again.
 * @param isCommand the problems come from buttons without a form.
 */
export function useProblemText({ isCommand = false } = {}): (refusal: Refusal) => ProblemText {
  const { t, te, n, locale } = useI18n()
  const access = useAccess()
  const isReconnected = useReconnected()
  const words: Words = {
    has: (key) => te(key),
    say: (key, params, count) => t(key, params, count),
    number: (value, unit) => (unit === undefined ? n(value) : unitText({ value, unit }, locale.value)),
  }
  const say = isCommand ? textOfCommand : textOf
  return (refusal) =>
    say(isReconnected(refusal) ? { ...refusal, code: 'reconnected' } : refusal, access.audience(), words)
}
