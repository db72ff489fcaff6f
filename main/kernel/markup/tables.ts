/**
 * Tables of Markdown. A bubble is about 26 characters wide and has no columns, so that each row becomes lines of
 * `*name*: value`.
 */

interface Table {
  readonly blocks: readonly string[]
  /** The line after it. */
  readonly end: number
}

const DASHES = /^:?-+:?$/

/** Whether a table begins at this line: the line after it is one of dashes, with as many columns. */
export function isTableHead(lines: readonly string[], at: number): boolean {
  const [head = '', rule = ''] = [lines[at], lines[at + 1]]
  if (!head.includes('|') || !rule.includes('-')) return false
  const dashes = cellsOf(rule)
  if (!rule.includes('|') || !dashes.every((cell) => DASHES.test(cell))) return false
  return cellsOf(head).length === dashes.length
}

/** @param convert what is in a cell. */
export function tableAt(lines: readonly string[], at: number, convert: (cell: string) => string): Table {
  const head = cellsOf(lines[at] ?? '').map(convert)
  const rows: string[][] = []
  let end = at + 2
  for (let line = lines[end]; line?.includes('|'); line = lines[++end]) rows.push(cellsOf(line).map(convert))
  return { blocks: head.length <= 2 ? pairs([head, ...rows]) : records(head, rows), end }
}

/** One or two columns: a line for each row, the heads among them. */
const pairs = (rows: readonly (readonly string[])[]): string[] =>
  rows.map(([name = '', ...values]) => {
    const value = values.filter((cell) => cell !== '').join(' ')
    return value === '' ? name : named(name, value)
  })

/** More columns: a line for each cell with the name of its column, and an empty line between rows. */
function records(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [head.join(' · ')]
  const blocks = rows.map((row) =>
    Array.from({ length: Math.max(head.length, row.length) }, (_, column) =>
      named(head[column] ?? '', row[column] || '–'),
    ).join('\n'),
  )
  return blocks.flatMap((block, at) => (at === 0 ? [block] : ['', block]))
}

const named = (name: string, value: string): string => (name === '' ? value : `${bold(name)}: ${value}`)

const bold = (text: string): string => (text.startsWith('*') && text.endsWith('*') ? text : `*${text}*`)

function cellsOf(line: string): string[] {
  const text = line.trim()
  const cells: string[] = []
  let cell = ''
  for (let at = text.startsWith('|') ? 1 : 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '|') {
      cells.push(cell.trim())
      cell = ''
    } else if (character === '\\' && text.charAt(at + 1) === '|') {
      cell += '|'
      at++
    } else cell += character
  }
  if (!text.endsWith('|') || cell !== '') cells.push(cell.trim())
  return cells
}
