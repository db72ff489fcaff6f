import { lexer, type MarkedToken, type Token } from 'marked'

/** A run of text inside a block. */
export interface Span {
  readonly kind: 'text' | 'code' | 'strong' | 'em' | 'link'
  readonly text: string
  readonly href?: string
}

export type Block =
  | { readonly kind: 'heading'; readonly spans: readonly Span[] }
  | { readonly kind: 'paragraph'; readonly spans: readonly Span[] }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly (readonly Span[])[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'table'; readonly rows: readonly (readonly (readonly Span[])[])[] }

export interface Section {
  /** Anchor in the URL. */
  readonly id: string
  readonly title: string
  readonly markdown: string
}

/** Markdown as data: components render it without HTML, which could contain scripts. */
export const toBlocks = (markdown: string): Block[] => tokensOf(markdown).flatMap(toBlock)

/** Plain text in one line, for a title. */
export const plainText = (markdown: string): string => textOf(toSpans(tokensOf(markdown))).trim()

/** Splits the README at its `##` headings; text before the first one is the introduction. */
export function toSections(markdown: string): Section[] {
  const sections: { id: string; title: string; markdown: string }[] = []
  for (const token of tokensOf(markdown)) {
    const last = sections.at(-1)
    if (token.type === 'heading' && token.depth <= 2)
      sections.push({ id: last ? slugOf(token.text) : 'introduction', title: token.text, markdown: '' })
    else if (last) last.markdown += token.raw
  }
  return sections
}

/** `Token` also includes extension tokens, which are not used. */
const tokensOf = (markdown: string) => lexer(markdown) as MarkedToken[]

const slugOf = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')

function toBlock(token: MarkedToken): Block[] {
  switch (token.type) {
    case 'heading':
    case 'paragraph':
    case 'text': {
      const spans = toSpans(token.tokens)
      return spans.length === 0 ? [] : [{ kind: token.type === 'heading' ? 'heading' : 'paragraph', spans }]
    }
    case 'list':
      return [{ kind: 'list', isOrdered: token.ordered, items: token.items.map((item) => toSpans(item.tokens)) }]
    case 'code':
      return [{ kind: 'code', text: token.text }]
    case 'table':
      return [
        { kind: 'table', rows: [token.header, ...token.rows].map((row) => row.map((cell) => toSpans(cell.tokens))) },
      ]
    default:
      // Comments, rules and blank lines.
      return []
  }
}

function toSpans(tokens: readonly Token[] = []): Span[] {
  return (tokens as readonly MarkedToken[]).flatMap((token): Span[] => {
    switch (token.type) {
      case 'codespan':
        return [{ kind: 'code', text: token.text }]
      case 'strong':
      case 'em':
        return [{ kind: token.type, text: textOf(toSpans(token.tokens)) }]
      case 'link':
        return [{ kind: 'link', text: textOf(toSpans(token.tokens)), href: token.href }]
      case 'image':
        return []
      case 'list':
        return token.items.flatMap((item) => toSpans(item.tokens))
      default:
        if ('tokens' in token) return toSpans(token.tokens)
        return [{ kind: 'text', text: ('text' in token ? token.text : token.raw).replace(/\s+/g, ' ') }]
    }
  })
}

const textOf = (spans: readonly Span[]) => spans.map(({ text }) => text).join('')
