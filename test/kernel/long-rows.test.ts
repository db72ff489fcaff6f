import { describe, expect, test } from 'vitest'
import { convertLong, readLongPage } from '../../main/kernel/long-rows.ts'

interface Row {
  readonly seq: number
  readonly text: string
}

const rowsOf = (lengths: readonly number[]): Row[] => lengths.map((length, seq) => ({ seq, text: 'x'.repeat(length) }))

/** Reads pages until there are no more. */
async function walk(rows: readonly Row[], limit: number, few?: number) {
  const asked: number[] = []
  const pages: Row[][] = []
  for (let from = 0; ;) {
    const read = async (most: number, last: Row | undefined) => {
      asked.push(most)
      const start = last === undefined ? from : last.seq + 1
      return rows.slice(start, start + most)
    }
    const { shown, hasMore } = await readLongPage<Row>(limit, read, few)
    pages.push(shown)
    if (!hasMore) return { asked, pages }
    from = (shown.at(-1)?.seq ?? -1) + 1
  }
}

describe('a page of rows that may be long', () => {
  test.each<[string, number[], number, number | undefined]>([
    ['none', [], 10, undefined],
    ['as many short rows as a page has', Array<number>(10).fill(5), 10, undefined],
    ['one more', Array<number>(11).fill(5), 10, undefined],
    ['pages of one', Array<number>(5).fill(2_000_000), 1, 1],
    ['rows of megabytes', Array<number>(9).fill(2_000_000), 200, 1],
    ['long rows', Array<number>(300).fill(65_000), 200, undefined],
    ['long rows after short ones', [...Array<number>(150).fill(5), ...Array<number>(150).fill(65_000)], 200, undefined],
  ])('has each row once: %s', async (_what, lengths, limit, few) => {
    const rows = rowsOf(lengths)
    const { pages } = await walk(rows, limit, few)
    expect(pages.flat().map(({ seq }) => seq)).toEqual(rows.map(({ seq }) => seq))
    expect(pages.every(({ length }, at) => length <= limit && (length > 0 || at === 0))).toBe(true)
  })

  test('reads few rows per query, also after short ones', async () => {
    const { asked } = await walk(rowsOf([...Array<number>(500).fill(1), ...Array<number>(500).fill(65_000)]), 200)
    expect(Math.max(...asked)).toBeLessThanOrEqual(20)
  })

  test('ends after a million characters and the rows that were read with them', async () => {
    const { pages } = await walk(rowsOf(Array<number>(100).fill(65_000)), 200)
    expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(20)
  })

  test('yields to the event loop between slices, however many pages are read in parallel', async () => {
    const rows = rowsOf(Array<number>(100).fill(65_000))
    const perTurn: number[] = [0]
    let isOver = false
    const nextTurn = () => {
      perTurn.push(0)
      if (!isOver) setImmediate(nextTurn)
    }
    setImmediate(nextTurn)
    const read = async (wanted: number, last: Row | undefined) => {
      perTurn[perTurn.length - 1]!++
      const start = last === undefined ? 0 : last.seq + 1
      return rows.slice(start, start + wanted)
    }
    await Promise.all(Array.from({ length: 20 }, () => readLongPage<Row>(50, read)))
    isOver = true
    expect(Math.max(...perTurn)).toBe(1)
  })

  test('converts each item once, in order', async () => {
    const made = await convertLong(rowsOf(Array<number>(20).fill(65_000)), ({ seq, text }) => ({ seq, text }))
    expect(made.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, at) => at))
  })
})
