import type { Audience } from './audience.ts'
import type { Problem } from './problem.ts'

/** What is known of a refusal: a problem, or what a record says of one. */
export type Refusal = Pick<Problem, 'code'> &
  Partial<Pick<Problem, 'operation' | 'detail' | 'retryAfterSeconds' | 'atMs'>>

export interface ProblemText {
  readonly title: string
  /** What happened, and who can do what about it. */
  readonly text: string
}

/** Where vue-i18n has words, and what they are. */
export interface Words {
  has(key: string): boolean
  say(key: string, params: Readonly<Record<string, string | number>>, count: number): string
  number(value: number, unit?: 'megabyte'): string
}

/**
 * The words for a refusal: those of its reason, else of its code in this operation, else of its code. Each may differ by
 * who reads them, because not everybody can do the same about it. The sentences of the service, in English and with names
 * of the API, are never shown.
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
 * The words for a refusal of a command, which has no form: what was not done. A field that the service names is not on
 * the screen, so its label would say nothing.
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

/** Where the service does not say how long to wait. */
const A_MINUTE = 60

/** Names of the API as a form has them, and numbers as they are written in this language. */
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

/** @param path such as `config.window.start`: the last part that has a label, which a key of somebody's own has not. */
function labelOf(path: string, words: Words): string {
  const label = path
    .split('.')
    .toReversed()
    .map((name) => `problems.field.${name}`)
    .find((key) => /^[\w.]+$/.test(key) && words.has(key))
  return words.say(label ?? 'problems.thisEntry', {}, 1)
}
