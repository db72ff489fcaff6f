import type { Database } from 'better-sqlite3'
import type { FactLog } from './fact-log.ts'
import { defineMarks, FACT_TABLES, valueInSql, type FactTable } from './fact-tables.ts'

/**
 * Records facts when rows change, whichever room changes them. The triggers are temporary: they belong to this
 * connection, not to the schema.
 * @returns false if this database has none of the tables.
 */
export function watchFacts(connection: Database, log: () => FactLog): boolean {
  const tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
  const watched = Object.entries(FACT_TABLES).filter(([table]) => tables.includes(table))
  if (watched.length === 0) return false
  defineMarks(connection)
  connection.function('note_fact', (table: unknown, json: unknown) => {
    log().note(String(table), String(json))
    return null
  })
  for (const [table, facts] of watched) for (const sql of triggersOf(table, facts)) connection.exec(sql)
  return true
}

function triggersOf(table: string, { key, columns, changes, only, isRemovalKept }: FactTable): string[] {
  const line = (row: 'NEW' | 'OLD', names: readonly string[]) =>
    `json_array(${names.map((name) => valueInSql(table, name, row)).join(', ')})`
  const note = (json: string) => `BEGIN SELECT note_fact('${table}', ${json}); END`
  const now = note(`json_array('${table}', ${line('NEW', [...key, ...columns])})`)
  const when = only === undefined ? '' : `WHEN ${only}`
  const changed = (changes ?? columns).join(', ')
  return [
    `CREATE TEMP TRIGGER fact_of_new_${table} AFTER INSERT ON main.${table} ${when} ${now}`,
    ...(changed === ''
      ? []
      : [`CREATE TEMP TRIGGER fact_of_${table} AFTER UPDATE OF ${changed} ON main.${table} ${when} ${now}`]),
    ...(isRemovalKept === true
      ? [
          `CREATE TEMP TRIGGER fact_of_gone_${table} AFTER DELETE ON main.${table}
            ${note(`json_array('${table}', NULL, ${line('OLD', key)})`)}`,
        ]
      : []),
  ]
}
