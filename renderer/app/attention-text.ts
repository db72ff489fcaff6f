import type { AttentionDisplay } from './entries.ts'

interface Line {
  readonly count: number
  /** Name of the object, if the issue concerns a single one. */
  readonly name: string
  /** A count, formatted in the reader's language. */
  readonly n: string
  readonly why: string
}

/** `t` of vue-i18n; without a count, the text has no plural forms. */
type Translate = (key: string, named: Readonly<Record<string, string>>, count: number) => string

/** The text of an overview issue, also shown above a list that is filtered by it. */
export function attentionText(t: Translate, { words, isIssue }: AttentionDisplay, line: Line): string {
  const { count, name, n, why } = line
  if (isIssue !== true) return t(`${words}.text`, { n, name, text: why }, count)
  return t('instances.attention.issue.text', { n, name, title: t(`${words}.title`, {}, 1) }, count)
}
