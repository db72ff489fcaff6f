import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { newHome } from '../../support/restores.ts'
import { world, worldOfTest, type World } from '../../support/world.ts'

interface Row {
  readonly name: string
  readonly status: string
  readonly reader: number
  readonly texts: string
}

const rowsOf = (w: World) =>
  w.rows<Row>(
    `SELECT name, status, reader, (SELECT group_concat(text, '|') FROM ai_passages p WHERE p.document_seq = d.seq) AS texts
     FROM ai_documents d ORDER BY seq`,
  )

async function until(w: World, isDone: (rows: readonly Row[]) => boolean): Promise<readonly Row[]> {
  for (let steps = 0; ; steps++) {
    const rows = await rowsOf(w)
    if (isDone(rows)) return rows
    expect(steps, JSON.stringify(rows)).toBeLessThan(500)
    // A thread reads them, in the time of the machine.
    await setTimeout(20)
    await w.clock.advance(20)
  }
}

async function upload(w: World, id: string, name: string, text: string): Promise<void> {
  const { status } = await w.service.askAsConsole({
    ...{ method: 'POST', path: `/panel/v1/instances/${id}/ai/documents?name=${name}` },
    ...{ headers: { 'content-type': 'text/markdown' }, payload: Buffer.from(text) },
  })
  expect(status).toBe(201)
}

test('documents read by an earlier version are read again after the start, each once, and stay usable meanwhile', async () => {
  const first = await world({ home: newHome() })
  const { id } = await first.pair()
  await upload(first, id, 'returns.md', '# Returns\n\nWithin thirty days.\n')
  await upload(first, id, 'delivery.md', '# Delivery\n\nWithin two days.\n')
  await upload(first, id, 'lost.md', '# Lost\n\nOnly its passages are left.\n')
  await until(first, (rows) => rows.length === 3 && rows.every(({ status }) => status === 'ready'))
  // As an earlier version left them; the file of the last one is gone.
  for (const text of [
    `UPDATE ai_documents SET reader = 0`,
    `UPDATE ai_passages SET text = 'cut badly'`,
    `UPDATE ai_documents SET file_id = 'gone' WHERE name = 'lost.md'`,
  ])
    await first.service.db.commit((tx) => tx.run({ text }, {}))
  await first.close()

  const next = await worldOfTest({ home: first.home, vault: first.vault, clock: first.clock, seed: 2 })
  const rows = await until(
    next,
    (found) => found.every(({ reader }) => reader > 0) && !found[1]?.texts.includes('badly'),
  )
  expect(rows.map(({ name, status }) => [name, status])).toEqual([
    ['returns.md', 'ready'],
    ['delivery.md', 'ready'],
    ['lost.md', 'ready'],
  ])
  expect(rows[0]?.texts).toContain('Within thirty days.')
  expect(rows[1]?.texts).toContain('Within two days.')
  // What there is no better of stays.
  await next.pass(1_000)
  expect((await rowsOf(next))[2]?.texts).toBe('cut badly')
  const { data } = (await asConsole(next)('GET', `/v1/instances/${id}/ai/documents`)).body
  expect(data.map(({ error }: { error: string | null }) => error)).toEqual([null, null, null])
})
