import type { Database } from 'better-sqlite3'
import type { Client } from 'pg'

/**
 * What each database knows about its tables, in the same words, sorted:
 * `messages.seq int not null`, `messages index (instance_id, chat, seq)`, `messages unique (id)`, `messages checks 8`.
 */
type Catalog = readonly string[]

export function sqliteCatalog(database: Database): Catalog {
  const query = (text: string, ...values: unknown[]) => database.prepare(text).all(...values) as Row[]
  const found: string[] = []
  for (const { name, sql } of query(`SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name`)) {
    const table = String(name)
    const columns = query('SELECT * FROM pragma_table_xinfo(?)', table)
    for (const each of columns) {
      const kind = { INTEGER: 'int', TEXT: 'text', BLOB: 'bytes', ANY: 'text' }[String(each['type'])] ?? 'unknown'
      found.push(column(table, each['name'], kind, each['notnull'] === 1 || Number(each['pk']) > 0, each['dflt_value']))
    }
    const key = columns.filter(({ pk }) => Number(pk) > 0).toSorted((a, b) => Number(a['pk']) - Number(b['pk']))
    if (key.length > 0) found.push(`${table} unique (${key.map(({ name: part }) => String(part)).join(', ')})`)
    for (const index of query('SELECT * FROM pragma_index_list(?)', table)) {
      // Already listed as the key of the table.
      if (index['origin'] === 'pk') continue
      const parts = query('SELECT name FROM pragma_index_info(?) ORDER BY seqno', index['name'])
      const text = query(`SELECT sql FROM sqlite_schema WHERE name = ?`, index['name'])[0]?.['sql']
      const [, where] = typeof text === 'string' ? (/ WHERE ([\s\S]*)$/.exec(text) ?? []) : []
      found.push(indexOf(table, index['unique'] === 1, parts.map((part) => String(part['name'])).join(', '), where))
    }
    const foreign = Map.groupBy(query('SELECT * FROM pragma_foreign_key_list(?)', table), ({ id }) => id)
    for (const columnsOfKey of foreign.values()) {
      const parts = columnsOfKey.toSorted((a, b) => Number(a['seq']) - Number(b['seq']))
      const names = (side: string) => parts.map((part) => String(part[side])).join(', ')
      const action = parts[0]?.['on_delete'] === 'CASCADE' ? ' cascade' : ''
      found.push(`${table} (${names('from')}) references ${String(parts[0]?.['table'])} (${names('to')})${action}`)
    }
    found.push(`${table} checks ${String(sql).match(/\bCHECK\b/g)?.length ?? 0}`)
  }
  return found.toSorted()
}

export async function postgresCatalog(client: Client): Promise<Catalog> {
  const query = async (text: string) => (await client.query<Row>(text)).rows
  const columns = await query(`
    SELECT c.relname AS table, a.attname AS name, t.typname AS type, a.attnotnull AS required,
      pg_get_expr(d.adbin, d.adrelid) AS default
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace`)
  const indexes = await query(`
    SELECT c.relname AS table, i.indisunique AS unique, pg_get_expr(i.indpred, i.indrelid) AS where,
      (SELECT string_agg(a.attname, ', ' ORDER BY k.at) FROM unnest(i.indkey::int[]) WITH ORDINALITY AS k(number, at)
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number) AS columns
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE c.relnamespace = 'public'::regnamespace`)
  const names = (keys: string, of: string) =>
    `(SELECT string_agg(a.attname, ', ' ORDER BY n.at) FROM unnest(k.${keys}) WITH ORDINALITY AS n(number, at)
       JOIN pg_attribute a ON a.attrelid = k.${of} AND a.attnum = n.number)`
  const foreign = await query(`
    SELECT k.conrelid::regclass::text AS table, k.confrelid::regclass::text AS other, k.confdeltype AS action,
      ${names('conkey', 'conrelid')} AS columns, ${names('confkey', 'confrelid')} AS others
    FROM pg_constraint k WHERE k.contype = 'f'`)
  const checks = await query(`
    SELECT c.relname AS table, count(k.oid)::int AS number FROM pg_class c
      LEFT JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'c'
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace GROUP BY c.relname`)
  return [
    ...columns.map((each) => {
      const kind = { int8: 'int', text: 'text', bytea: 'bytes' }[String(each['type'])] ?? String(each['type'])
      return column(String(each['table']), each['name'], kind, each['required'] === true, each['default'])
    }),
    ...indexes.map((each) =>
      indexOf(String(each['table']), each['unique'] === true, String(each['columns']), each['where']),
    ),
    ...foreign.map((each) => {
      const action = each['action'] === 'c' ? ' cascade' : ''
      return `${String(each['table'])} (${String(each['columns'])}) references ${String(each['other'])} (${String(each['others'])})${action}`
    }),
    ...checks.map((each) => `${String(each['table'])} checks ${String(each['number'])}`),
  ].toSorted()
}

type Row = Readonly<Record<string, unknown>>

const column = (table: string, name: unknown, kind: string, isRequired: boolean, fallback: unknown) =>
  `${table}.${String(name)} ${kind}${isRequired ? ' not null' : ''}${fallback === null ? '' : ` default ${plain(fallback)}`}`

const indexOf = (table: string, isUnique: boolean, columns: string, where: unknown) =>
  `${table} ${isUnique ? 'unique' : 'index'} (${columns})${where === null || where === undefined ? '' : ` where ${plain(where)}`}`

/** An expression without what each database adds in its own way: casts, brackets, white space, `= ANY` for `IN`. */
const plain = (expression: unknown): string =>
  String(expression)
    .replaceAll(/::\w+(\[\])?/g, '')
    .replaceAll(/= ANY \(ARRAY\[([^\]]*)\]\)/g, 'IN $1')
    .replaceAll(/<> ALL \(ARRAY\[([^\]]*)\]\)/g, 'NOT IN $1')
    .replaceAll(/[()\s]+/g, ' ')
    .trim()
