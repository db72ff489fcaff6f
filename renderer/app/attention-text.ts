import type { AttentionDisplay } from './entries.ts'

interface Line {
  readonly count: number
  /** Of the thing, if the line concerns a single one. */
  readonly name: string
  /** A count as the reader's language writes it. */
  readonly n: string
  readonly why: string
}

/** `t` of vue-i18n; without a count, the words are not counted. */
type Translate = (key: string, named: Readonly<Record<string, string>>, count: number) => string

/** What a line of the overview says, also where a list is narrowed to it. */
export function attentionText(t: Translate, { words, isIssue }: AttentionDisplay, line: Line): string {
  const { count, name, n, why } = line
  if (isIssue !== true) return t(`${words}.text`, { n, name, text: why }, count)
  return t('instances.attention.issue.text', { n, name, title: t(`${words}.title`, {}, 1) }, count)
}
