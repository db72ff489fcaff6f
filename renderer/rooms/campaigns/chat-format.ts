/** How a messaging app shows text: `*bold*`, `_italic_`, `~struck~`, `` `code` ``, and addresses as links. */
export interface ChatSpan {
  readonly text: string
  readonly isBold?: true
  readonly isItalic?: true
  readonly isStruck?: true
  readonly isCode?: true
  readonly isLink?: true
}

const STYLES = { '*': 'isBold', _: 'isItalic', '~': 'isStruck' } as const
const LINK = /\bhttps?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]]/g

/** The spans of a text. A mark counts only around text without spaces at its ends, within one line. */
export function readChatText(text: string): readonly ChatSpan[] {
  return text
    .split(/(```[\s\S]+?```)/)
    .flatMap((run, index) =>
      index % 2 === 1 ? [{ text: run.slice(3, -3), isCode: true as const }] : readMarked(run, {}),
    )
    .filter(({ text: run }) => run !== '')
}

function readMarked(text: string, style: Omit<ChatSpan, 'text'>): ChatSpan[] {
  const found = /(?<![\p{L}\p{N}])([*_~`])(?!\s)([^\n]*?[^\s])\1(?![\p{L}\p{N}])/u.exec(text)
  if (found === null) return readLinks(text, style)
  const [whole, mark = '', inner = ''] = found
  const styled =
    mark === '`'
      ? [{ ...style, text: inner, isCode: true as const }]
      : readMarked(inner, { ...style, [STYLES[mark as keyof typeof STYLES]]: true })
  return [
    ...readLinks(text.slice(0, found.index), style),
    ...styled,
    ...readMarked(text.slice(found.index + whole.length), style),
  ]
}

function readLinks(text: string, style: Omit<ChatSpan, 'text'>): ChatSpan[] {
  const spans: ChatSpan[] = []
  let at = 0
  for (const { 0: address, index } of text.matchAll(LINK)) {
    spans.push({ ...style, text: text.slice(at, index) }, { ...style, text: address, isLink: true })
    at = index + address.length
  }
  return [...spans, { ...style, text: text.slice(at) }].filter(({ text: run }) => run !== '')
}
