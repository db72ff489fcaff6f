import { expect, test } from 'vitest'
import { postgresSchema } from '../../../main/storage/postgres/schema-text.ts'

test.each([
  ['widens integers', 'seq INTEGER PRIMARY KEY', 'seq BIGINT PRIMARY KEY'],
  ['names the type of bytes', 'body BLOB', 'body BYTEA'],
  ['compares text by bytes', 'name TEXT NOT NULL', 'name TEXT COLLATE "C" NOT NULL'],
  ['stores a column of any type as text', 'value ANY', 'value TEXT COLLATE "C"'],
  ['drops STRICT', 'CREATE TABLE a (b TEXT) STRICT;', 'CREATE TABLE a (b TEXT COLLATE "C");'],
  ['leaves quoted text alone', "CHECK (kind IN ('TEXT', 'it''s ANY'))", "CHECK (kind IN ('TEXT', 'it''s ANY'))"],
  ['leaves quoted names alone', 'a "INTEGER"', 'a "INTEGER"'],
  ['leaves comments alone', '-- a TEXT\n/* BLOB */ b BLOB', '-- a TEXT\n/* BLOB */ b BYTEA'],
  ['leaves longer words alone', 'ANYWHERE, TEXTUAL', 'ANYWHERE, TEXTUAL'],
])('%s', (_name, sqlite, postgres) => {
  expect(postgresSchema(sqlite)).toBe(postgres)
})
