import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { loadOnce } from './lib/http-load.ts'
import type { Report } from './lib/report.ts'
import { pairedLine, SILENT_NUMBER } from './lib/sandbox-line.ts'
import { callerOf, createKey, startService } from './lib/service.ts'

/** Bytes on disk of all tables that grow, including indexes, after the service has sent and delivered for `SECONDS`. */
const SECONDS = Number(process.env['SECONDS'] ?? 5)
const TEXT = 'Hello, your order 12345 has left our warehouse and arrives tomorrow.'
const GROWING = {
  messages: 'message',
  idempotency_keys: "a send's idempotency key",
  events: 'event',
  deliveries: 'delivery',
  delivery_attempts: 'attempt of a delivery',
} as const

export async function disk(): Promise<Report[]> {
  const home = mkdtempSync(join(tmpdir(), 'bench-disk-'))
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ 'sandbox.timeline_ms': [0, 0, 0, 0] }))
  try {
    await sendAndDeliver(home)
    return [measure(join(home, 'switchboard.db'))]
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

async function sendAndDeliver(home: string): Promise<void> {
  const { program, url } = await startService(home)
  try {
    const key = createKey(home)
    const call = callerOf(url, key)
    await call('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/bench', events: ['*'], max_in_flight: 64 })
    const instance = await pairedLine(call)
    const headers = { authorization: `Bearer ${key}` }
    const body = { to: SILENT_NUMBER, text: TEXT }
    const at = `${url}/v1/instances/${instance}/messages`
    await loadOnce(
      { name: 'sends', pid: program.pid, url: at, method: 'POST', headers, body },
      { connections: 16, seconds: SECONDS },
    )
    const waiting = async () => {
      const { data } = await call('GET', '/v1/webhooks/deliveries?status=pending&limit=1')
      return (data as readonly unknown[]).length > 0
    }
    while (await waiting()) await new Promise((resolve) => setTimeout(resolve, 100))
  } finally {
    await program.stop()
  }
}

function measure(file: string): Report {
  const db = new Database(file, { readonly: true })
  try {
    const pages = db.prepare<[string], { table: number; indexes: number }>(`
      SELECT SUM(CASE WHEN m.type = 'table' THEN s.pgsize ELSE 0 END) AS "table",
             SUM(CASE WHEN m.type = 'index' THEN s.pgsize ELSE 0 END) AS indexes
        FROM dbstat s JOIN sqlite_master m ON m.name = s.name WHERE s.aggregate = 1 AND m.tbl_name = ?`)
    return {
      title: `Bytes on disk of each row, after ${SECONDS} s of sends with a text of ${TEXT.length} characters`,
      rows: Object.entries(GROWING).map(([table, what]) => {
        const rows = Number(db.prepare(`SELECT COUNT(*) FROM ${table}`).pluck().get())
        const bytes = pages.get(table) ?? { table: 0, indexes: 0 }
        return {
          'one of': what,
          rows,
          'in the table': bytes.table / rows,
          'in indexes': bytes.indexes / rows,
          bytes: (bytes.table + bytes.indexes) / rows,
        }
      }),
    }
  } finally {
    db.close()
  }
}
