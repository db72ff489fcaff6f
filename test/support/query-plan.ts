import type Database from 'better-sqlite3'

/** How SQLite would run the statement, one line a step: `SEARCH … USING INDEX …`, `SCAN …`, `USE TEMP B-TREE …`. */
export function queryPlan(raw: Database.Database, statement: { readonly text: string }): string[] {
  const names = [...statement.text.matchAll(/:([A-Za-z_]\w*)/g)].map(([, name = '']) => name)
  const params = Object.fromEntries(names.map((name) => [name, null]))
  const steps = raw.prepare(`EXPLAIN QUERY PLAN ${statement.text}`).all(params)
  return (steps as { detail: string }[]).map(({ detail }) => detail)
}
