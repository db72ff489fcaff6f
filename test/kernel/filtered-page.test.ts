import { afterAll, beforeAll, expect, test } from 'vitest'
import { filteredPage, type Filter, type SeqRange } from '../../main/kernel/filtered-page.ts'
import { sql } from '../../main/kernel/sql.ts'
import { testDatabase, type TestDatabase } from '../support/database.ts'

interface Params extends SeqRange {
  readonly colour: string | null
  readonly shape: string | null
}
interface Row {
  readonly seq: number
}

const SPAN = 'seq < :beforeSeq AND seq > :afterSeq'
const NARROWED = '(:colour IS NULL OR colour = :colour) AND (:shape IS NULL OR shape = :shape)'
const filter = (driver: string): Filter<Params, Row> => ({
  page: sql(`SELECT seq FROM things WHERE ${driver} AND ${SPAN} AND ${NARROWED} ORDER BY seq DESC LIMIT :rows`),
  boundary: sql(`SELECT seq FROM things WHERE ${driver} AND ${SPAN} ORDER BY seq DESC LIMIT 1 OFFSET :skipped`),
})
const [byColour, byShape] = [filter('colour = :colour'), filter('shape = :shape')]
const all = sql<Params, Row>(`SELECT seq FROM things WHERE ${SPAN} ORDER BY seq DESC LIMIT :rows`)

const ROWS = 20_000
const COLOURS = ['red', 'blue']
/** Never red, but for the oldest. */
const shapeOf = (seq: number) => (seq === 1 ? 'disc' : seq % 5_000 === 0 ? 'star' : seq % 2 === 0 ? 'disc' : 'ring')
const colourOf = (seq: number) => COLOURS[seq % 2]

let data: TestDatabase
beforeAll(async () => {
  const things = `CREATE TABLE things (seq INTEGER PRIMARY KEY, colour TEXT NOT NULL, shape TEXT NOT NULL) STRICT;
    CREATE INDEX by_colour ON things (colour, seq); CREATE INDEX by_shape ON things (shape, seq);`
  data = await testDatabase([{ version: 1, name: 'things', sql: things }], { statements: [] })
  const put = data.raw.prepare('INSERT INTO things VALUES (?, ?, ?)')
  data.raw.transaction(() => {
    for (let seq = 1; seq <= ROWS; seq++) put.run(seq, colourOf(seq), shapeOf(seq))
  })()
})
afterAll(() => data.close())

const EVERYTHING = { beforeSeq: ROWS + 1, afterSeq: 0, rows: 10 }

/** What the list says, and how many times others had a turn before it did. */
async function asked(query: { colour?: string; shape?: string }, span: Partial<SeqRange> = {}) {
  const { colour = null, shape = null } = query
  const filters = [colour !== null && byColour, shape !== null && byShape].filter((one) => one !== false)
  let turns = 0
  let isOver = false
  const count = () => {
    if (isOver) return
    turns++
    setImmediate(count)
  }
  setImmediate(count)
  const rows = await filteredPage(data.db, { filters, all }, { ...EVERYTHING, ...span, colour, shape })
  isOver = true
  return { seqs: rows.map(({ seq }) => seq), turns }
}

function expected({ colour, shape }: { colour?: string; shape?: string }, span: Partial<SeqRange> = {}): number[] {
  const { beforeSeq, afterSeq, rows } = { ...EVERYTHING, ...span }
  return Array.from({ length: ROWS }, (_, i) => ROWS - i)
    .filter((seq) => seq < beforeSeq && seq > afterSeq)
    .filter((seq) => (colour ?? colourOf(seq)) === colourOf(seq) && (shape ?? shapeOf(seq)) === shapeOf(seq))
    .slice(0, rows)
}

test.each([
  [{}, {}],
  [{ colour: 'red' }, {}],
  [{ shape: 'star' }, { rows: 3 }],
  [{ colour: 'red', shape: 'disc' }, {}],
  [{ colour: 'red', shape: 'star' }, {}],
  [
    { colour: 'red', shape: 'disc' },
    { beforeSeq: 12_345, afterSeq: 6_789 },
  ],
  [{ colour: 'blue', shape: 'disc' }, { rows: 1 }],
  [
    { colour: 'blue', shape: 'disc' },
    { rows: 1, afterSeq: 1 },
  ],
  [{ colour: 'blue', shape: 'none' }, {}],
])('%j within %j returns the same rows as a plain scan', async (query, span) => {
  expect((await asked(query, span)).seqs).toEqual(expected(query, span))
})

test('a page that spans several windows is complete and has no duplicate rows', async () => {
  const span = { rows: 6_000 }
  const { seqs, turns } = await asked({ colour: 'red', shape: 'disc' }, span)
  expect(seqs).toEqual(expected({ colour: 'red', shape: 'disc' }, span))
  expect(turns).toBeGreaterThanOrEqual(2)
})

test('yields to the event loop in each window when it scans a long list for few rows', async () => {
  const { seqs, turns } = await asked({ colour: 'blue', shape: 'disc' })
  expect(seqs).toEqual([1])
  expect(turns).toBeGreaterThanOrEqual(4)
})

test('starts from the filter with few rows, and does not need to yield', async () => {
  expect(await asked({ colour: 'red', shape: 'star' })).toEqual({ seqs: [20_000, 15_000, 10_000, 5_000], turns: 0 })
})
