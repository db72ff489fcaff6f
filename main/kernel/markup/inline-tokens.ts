/** The parts of a paragraph of Markdown: words, and runs of marks that may begin and end a stretch. */
export type Token = Run | { readonly kind: 'text'; readonly text: string }

/** A run of one mark. What opens and what closes a stretch may be the same run. */
export interface Run {
  readonly kind: 'run'
  readonly mark: string
  /** How many of its marks mean nothing yet. */
  left: number
  readonly opens: Sides
  readonly closes: Sides
  /** Stretches that end here and that begin here, innermost first. */
  readonly closed: Style[]
  readonly opened: Style[]
}

export type Style = 'bold' | 'italic' | 'struck'

/** Two marks may be within a word, since not all languages have spaces between words; one may not. */
interface Sides {
  readonly one: boolean
  readonly two: boolean
}

export interface Tokens {
  readonly list: Token[]
  /** Whether there was something that only Markdown has, such as a link. */
  readonly isMarkdown: boolean
}

const SPECIAL = /[\\*_~[\]!<&]/g
const ESCAPABLE = /[*_~`#>+\-.!|[\](){}$]/
const ENTITY = /^&(?:nbsp|amp(?!;(?:nbsp|amp);));/
const AUTOLINK = /^<(\uFDD0\d{1,9}\uFDD1)>/
const WORD = /[\p{L}\p{N}_]/u
const TARGET =
  /^\([ \t]{0,10}<?([^\s()[\]<>"']{1,2048})>?(?:[ \t]{1,10}(?:"([^"\n]{1,300})"|'([^'\n]{1,300})'))?[ \t]{0,10}\)/
const ADDRESS =
  /^(?:(?:mailto|tel|sms):)?\uFDD0\d{1,9}\uFDD1$|^(?:tel|sms):[+\d().-]+$|^[/#?.]|^[\w-]{1,63}\.[\w.-]{2,253}(?:$|[/?#])/i

/** Names of Python, which look like bold words and are none: `__init__`. */
const SPECIAL_NAME = new RegExp(
  `^__(?:${[
    ...['add', 'all', 'author', 'bool', 'builtins', 'call', 'class', 'contains', 'copy', 'debug', 'del', 'delitem'],
    ...['dict', 'doc', 'enter', 'eq', 'exit', 'file', 'float', 'format', 'future', 'get', 'getattr', 'getitem', 'gt'],
    ...['hash', 'import', 'init', 'int', 'iter', 'len', 'lt', 'main', 'module', 'mul', 'name', 'new', 'next', 'path'],
    ...['repr', 'set', 'setattr', 'setitem', 'slots', 'str', 'sub', 'version'],
  ].join('|')})__(?![\\p{L}\\p{N}_])`,
  'u',
)

/**
 * @param text without code and addresses, in whose place something else is (verbatim.ts).
 * @param restore puts them back, to compare the text of a link with its address.
 */
export function tokensOf(text: string, restore: (text: string) => string): Tokens {
  const list: Token[] = []
  /** Where the texts of links may begin, in `list`. */
  const open: { readonly at: number; readonly isImage: boolean }[] = []
  let isMarkdown = false

  const add = (piece: string): void => {
    if (piece !== '') list.push({ kind: 'text', text: piece })
  }

  for (let at = 0; at < text.length;) {
    SPECIAL.lastIndex = at
    const next = SPECIAL.exec(text)?.index ?? text.length
    add(text.slice(at, next))
    at = next === text.length ? next : take(next)
  }
  return { list, isMarkdown }

  /** @returns where the text goes on. */
  function take(at: number): number {
    switch (text.charAt(at)) {
      case '\\':
        return takeEscape(at)
      case '[':
        return openLink(at, '[')
      case '!':
        if (text.charAt(at + 1) === '[') return openLink(at, '![')
        add('!')
        return at + 1
      case ']':
        return closeLink(at + 1)
      case '<': {
        const [whole = '<', address = '<'] = AUTOLINK.exec(text.slice(at, at + 16)) ?? []
        add(address)
        return at + whole.length
      }
      case '&': {
        const [entity = ''] = ENTITY.exec(text.slice(at, at + 16)) ?? []
        add(entity === '&nbsp;' ? ' ' : '&')
        return at + Math.max(1, entity.length)
      }
      default: {
        const [special] = text.startsWith('__', at) ? (SPECIAL_NAME.exec(text.slice(at, at + 24)) ?? []) : []
        if (special !== undefined) {
          add(special)
          return at + special.length
        }
        const run = runAt(text, at)
        list.push(run)
        return at + run.left
      }
    }
  }

  /** Several backslashes in a row are a path, and escape nothing. */
  function takeEscape(at: number): number {
    let to = at + 1
    while (text.charAt(to) === '\\') to++
    // More backticks than one would become code.
    const isFence = text.startsWith('``', to)
    const isEscape = to === at + 1 && ESCAPABLE.test(text.charAt(to)) && !isFence
    if (isEscape) {
      isMarkdown = true
      to++
    }
    add(text.slice(isEscape ? at + 1 : at, to))
    return to
  }

  function openLink(at: number, mark: '[' | '!['): number {
    open.push({ at: list.length, isImage: mark === '![' })
    add(mark)
    return at + mark.length
  }

  /** `[text](address)` becomes `text: address`. Brackets that lead nowhere stay. */
  function closeLink(at: number): number {
    const begin = open.pop()
    const target = begin && targetAt(text, at)
    if (begin === undefined || target === undefined) {
      add(']')
      return at
    }
    isMarkdown = true
    const label = list.splice(begin.at + 1)
    list.length = begin.at
    const said = restore(label.map(rawOf).join('')).trim()
    if (said !== '' && !isSameAddress(said, restore(target.address))) {
      for (const token of label) list.push(token)
      add(`${target.title === undefined ? '' : ` (${target.title})`}: `)
    }
    add(target.address)
    // A link may contain an image, and nothing else that is a link.
    const outer = open.pop()
    open.length = 0
    if (begin.isImage && outer?.isImage === false) open.push(outer)
    return target.to
  }
}

function targetAt(text: string, at: number) {
  if (text.charAt(at) !== '(') return undefined
  const [whole, address = '', title, other] = TARGET.exec(text.slice(at, at + 2_500)) ?? []
  if (whole === undefined || !ADDRESS.test(address)) return undefined
  return { address: address.replace(/^(?:mailto|tel|sms):/i, ''), title: title ?? other, to: at + whole.length }
}

const isSameAddress = (said: string, address: string): boolean => bare(said) === bare(address)

const bare = (address: string): string =>
  address
    .toLowerCase()
    .replace(/^(?:mailto:|tel:|https?:\/\/)/, '')
    .replace(/^www\./, '')
    .replace(/\/$/, '')

const rawOf = (token: Token): string => (token.kind === 'text' ? token.text : token.mark.repeat(token.left))

function runAt(text: string, at: number): Run {
  const mark = text.charAt(at)
  let to = at + 1
  while (text.charAt(to) === mark) to++
  const [before, after] = [characterBefore(text, at), characterAt(text, to)]
  const [isWordBefore, isWordAfter] = [WORD.test(before), WORD.test(after)]
  const mayOpen = after !== '' && !/\s/.test(after)
  const mayClose = before !== '' && !/\s/.test(before)
  // 2**3 is a power.
  const isInWord = isWordBefore && isWordAfter && (mark === '_' || (/\d/.test(before) && /\d/.test(after)))
  const isOnlyAfterWord = mark === '_' && isWordBefore
  const isOnlyBeforeWord = mark === '_' && isWordAfter
  return {
    ...{ kind: 'run', mark, left: to - at, closed: [], opened: [] },
    opens: { one: mayOpen && !isWordBefore, two: mayOpen && !isInWord && !isOnlyAfterWord },
    closes: { one: mayClose && !isWordAfter, two: mayClose && !isInWord && !isOnlyBeforeWord },
  }
}

function characterAt(text: string, at: number): string {
  const point = text.codePointAt(at)
  return point === undefined ? '' : String.fromCodePoint(point)
}

const characterBefore = (text: string, at: number): string =>
  /[\uDC00-\uDFFF]/.test(text.charAt(at - 1)) ? characterAt(text, at - 2) : text.charAt(at - 1)
