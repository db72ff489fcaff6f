/** Formats rows as a Markdown table with right-aligned numbers. */
export function markdownTable(title: string, rows: readonly Record<string, string | number>[]): string {
  const columns = Object.keys(rows[0] ?? {})
  const cells = [columns, ...rows.map((row) => columns.map((column) => show(row[column] ?? '')))]
  const widths = columns.map((_, i) => Math.max(...cells.map((line) => line[i]?.length ?? 0)))
  const isNumber = columns.map((column) => rows.every((row) => typeof row[column] === 'number'))
  const line = (values: readonly string[]) =>
    `| ${values.map((value, i) => (isNumber[i] ? value.padStart(widths[i] ?? 0) : value.padEnd(widths[i] ?? 0))).join(' | ')} |`
  const [head = [], ...body] = cells
  const rule = widths.map((width, i) => (isNumber[i] ? `${'-'.repeat(width + 1)}:` : '-'.repeat(width + 2))).join('|')
  return [`### ${title}`, '', line(head), `|${rule}|`, ...body.map(line)].join('\n')
}

function show(value: string | number): string {
  if (typeof value === 'string') return value
  if (value >= 1000) return Math.round(value).toLocaleString('en-US')
  return value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** The median of the ratios within each round, because both sides of a round ran under the same conditions. */
export const paired = (a: readonly number[], b: readonly number[]): number =>
  median(a.map((value, i) => value / (b[i] ?? Number.NaN)))
