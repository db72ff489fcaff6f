import { describe, expect, test } from 'vitest'
import { findSession, uploadOfExport, uploadOfFolder } from '../../../renderer/rooms/instances/session-upload.ts'

const NOW = Date.UTC(2026, 0, 5, 12)
const LONG_AGO = NOW - 10 * 60_000

const file = (path: string, lastModified = LONG_AGO) => ({
  path,
  lastModified,
  text: () => Promise.resolve(`content of ${path}`),
})
const linesOf = async (blob: Blob) => (await blob.text()).split('\n').map((line) => JSON.parse(line) as unknown)

describe('a chosen folder', () => {
  test('yields the JSON files beside the credentials', () => {
    const chosen = ['shop/creds.json', 'shop/pre-key-1.json', 'shop/notes.txt', 'shop/old/pre-key-9.json'].map((path) =>
      file(path),
    )
    expect(findSession(chosen, NOW)).toEqual({ files: chosen.slice(0, 2) })
  })

  test('may be a parent folder of the session', () => {
    const chosen = [file('instances/readme.json'), file('instances/shop/creds.json')]
    expect(findSession(chosen, NOW)).toEqual({ files: chosen.slice(1) })
  })

  test.each([
    ['noSession', [file('shop/pre-key-1.json')]],
    ['several', [file('all/a/creds.json'), file('all/b/creds.json')]],
    ['stillWritten', [file('shop/creds.json'), file('shop/pre-key-1.json', NOW - 119_000)]],
  ])('is refused: %s', (problem, chosen) => {
    expect(findSession(chosen, NOW)).toEqual({ problem })
  })
})

test('every file of a folder becomes a line with its name', async () => {
  const blob = await uploadOfFolder([file('shop/creds.json'), file('shop/pre-key-1.json')])
  expect(blob.type).toBe('application/x-ndjson')
  expect(await linesOf(blob)).toEqual([
    { name: 'creds.json', content: 'content of shop/creds.json' },
    { name: 'pre-key-1.json', content: 'content of shop/pre-key-1.json' },
  ])
})

test('asks for the passphrase before the export', async () => {
  const blob = uploadOfExport('{"switchboard_session":1}\n', 'correct horse battery')
  expect((await blob.text()).trimEnd().split('\n')).toEqual([
    '{"passphrase":"correct horse battery"}',
    '{"switchboard_session":1}',
  ])
})
