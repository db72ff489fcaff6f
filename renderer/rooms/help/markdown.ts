/** A run of text inside a block. */
export interface Span {
  readonly kind: 'text' | 'code' | 'strong' | 'link'
  readonly text: string
  readonly href?: string
}

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly spans: readonly Span[] }
  | { readonly kind: 'paragraph'; readonly spans: readonly Span[] }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly (readonly Span[])[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'table'; readonly rows: readonly (readonly (readonly Span[])[])[] }

export interface Section {
  /** Stands in the address. */
  readonly id: string
  readonly title: string
  readonly blocks: readonly Block[]
}

/** Cuts the README at its `##` headings; what comes before the first one is the introduction. */
export function toSections(markdown: string): Section[] {
  const parts = markdown
    .replace(/<!--.*?-->/gs, '')
    .replace(/^!\[.*$/gm, '')
    .split(/^## /m)
  return parts.map((part, index) => {
    const [first = '', ...rest] = part.split('\n')
    const title = first.replace(/^# /, '').trim()
    return { id: index === 0 ? 'introduction' : slugOf(title), title, blocks: toBlocks(rest.join('\n')) }
  })
}

const slugOf = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')

/** The Markdown that a README uses: headings, paragraphs, lists, fenced code and tables. */
export function toBlocks(markdown: string): Block[] {
  const lines = markdown.split('\n')
  const blocks: Block[] = []
  while (lines.length > 0) {
    const line = lines.shift() ?? ''
    if (line.trim() === '') continue
    const fence = /^(```+|~~~+)/.exec(line)?.[1]
    const heading = /^(#{1,6}) (.*)$/.exec(line)
    if (fence !== undefined) blocks.push({ kind: 'code', text: takeUntil(lines, (next) => next.startsWith(fence)) })
    else if (heading) blocks.push({ kind: 'heading', level: heading[1]?.length ?? 3, spans: toSpans(heading[2] ?? '') })
    else if (line.startsWith('|')) blocks.push(toTable([line, ...takeWhile(lines, (next) => next.startsWith('|'))]))
    else blocks.push(toText([line, ...takeWhile(lines, (next) => !/^(\s*$|#|\||```|~~~)/.test(next))]))
  }
  return blocks
}

const ITEM = /^(?:[-*]|\d+\.) /

function toText(lines: readonly string[]): Block {
  if (!ITEM.test(lines[0] ?? '')) return { kind: 'paragraph', spans: toSpans(lines.join(' ')) }
  const items: string[] = []
  for (const line of lines) {
    if (ITEM.test(line)) items.push(line.replace(ITEM, ''))
    else items.push(`${items.pop() ?? ''} ${line.trim()}`)
  }
  return { kind: 'list', isOrdered: /^\d/.test(lines[0] ?? ''), items: items.map(toSpans) }
}

function toTable(lines: readonly string[]): Block {
  const cells = (line: string) => line.replace(/^\||\|\s*$/g, '').split('|')
  const rows = lines.filter((line) => !/^[|\s:-]+$/.test(line))
  return { kind: 'table', rows: rows.map((line) => cells(line).map((cell) => toSpans(cell.trim()))) }
}

function takeWhile(lines: string[], isWanted: (line: string) => boolean): string[] {
  const end = lines.findIndex((line) => !isWanted(line))
  return lines.splice(0, end === -1 ? lines.length : end)
}

function takeUntil(lines: string[], isEnd: (line: string) => boolean): string {
  const found = takeWhile(lines, (line) => !isEnd(line))
  lines.shift()
  return found.join('\n')
}

const SPAN = /(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)\s]+\))/

function toSpans(text: string): Span[] {
  return text
    .split(SPAN)
    .filter((part) => part !== '')
    .map((part): Span => {
      if (/^`.+`$/.test(part)) return { kind: 'code', text: part.slice(1, -1) }
      if (/^\*\*.+\*\*$/.test(part)) return { kind: 'strong', text: part.slice(2, -2).replaceAll('`', '') }
      const [, label, href] = /^\[([^\]]+)\]\(([^)\s]+)\)$/.exec(part) ?? []
      return href === undefined ? { kind: 'text', text: part } : { kind: 'link', text: label ?? '', href }
    })
}
