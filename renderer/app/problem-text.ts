import type { Audience } from './audience.ts'
import type { Problem } from './problem.ts'

/** A refusal: a problem, or the error in a record. */
export type Refusal = Pick<Problem, 'code'> &
  Partial<Pick<Problem, 'operation' | 'detail' | 'retryAfterSeconds' | 'atMs'>>

export interface ProblemText {
  readonly title: string
  /** What happened, and who can fix it how. */
  readonly text: string
}

/** Lookup of texts in vue-i18n. */
export interface Words {
  has(key: string): boolean
  say(key: string, params: Readonly<Record<string, string | number>>, count: number): string
  number(value: number, unit?: 'megabyte'): string
}

/**
 * The text for a refusal: by its reason, otherwise by its code in this operation, otherwise by its code. It may
 * differ by reader, because not everybody can do the same about it. The service's own sentences, in English and with
 * API names, are never shown.
 */
export function textOf(refusal: Refusal, audience: Audience | undefined, words: Words): ProblemText {
  const { code, operation, detail, retryAfterSeconds: seconds } = refusal
  const keys = [
    ...(detail ? [`problems.reason.${detail.reason}`] : []),
    ...(operation === undefined ? [] : [`problems.operation.${operation}.${code}`]),
    `problems.code.${code}`,
    'problems.code.unexpected',
  ]
  const forms = keys.flatMap((key) => [...(audience === undefined ? [] : [`${key}.${audience}`]), `${key}.any`, key])
  const key = forms.find((form) => words.has(form)) ?? 'problems.code.unexpected'
  const wait = Math.max(1, Math.ceil(seconds ?? A_MINUTE))
  const params = paramsOf(detail?.params ?? {}, words)
  const count = Number(detail?.params['n'] ?? wait)
  const title = `problems.title.${code}`
  return {
    title: words.say(words.has(title) ? title : 'common.problem.title', {}, 1),
    text: words.say(key, { seconds: words.number(wait), ...params }, count),
  }
}

/**
 * The text for a refused command without a form. If the service names a field, that is not on the screen, so its
 * label is omitted.
 */
export function textOfCommand(refusal: Refusal, audience: Audience | undefined, words: Words): ProblemText {
  const found = textOf(refusal, audience, words)
  if (refusal.detail?.reason.startsWith('field_') !== true) return found
  const act = `assistants.act.${refusal.operation ?? ''}`
  return {
    title: words.has(act)
      ? words.say('problems.command.title', { act: words.say(act, {}, 1) }, 1)
      : words.say('common.problem.title', {}, 1),
    text: words.say('problems.command.text', {}, 1),
  }
}

/** If the service does not say how long to wait. */
const A_MINUTE = 60

/** Labels of form fields instead of API names, and numbers formatted in this language. */
function paramsOf(params: Readonly<Record<string, string | number>>, words: Words): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      if (name === 'field') return [name, labelOf(String(value), words)]
      if (name === 'feature') return [name, words.say(`problems.feature.${value}`, {}, 1)]
      if (name === 'mb') return [name, words.number(Number(value), 'megabyte')]
      return [name, typeof value === 'number' ? words.number(value) : value]
    }),
  )
}

/** @param path such as `config.window.start`: uses the last part with a label; user-defined keys have none. */
function labelOf(path: string, words: Words): string {
  const label = path
    .split('.')
    .toReversed()
    .map((name) => `problems.field.${name}`)
    .find((key) => /^[\w.]+$/.test(key) && words.has(key))
  return words.say(label ?? 'problems.thisEntry', {}, 1)
}
