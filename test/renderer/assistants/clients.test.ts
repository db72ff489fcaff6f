import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { addressFor, CLIENTS, setupOf } from '../../../renderer/rooms/assistants/clients.ts'

const URL = 'http://127.0.0.1:4780/mcp'
const bridge = {
  command: '/srv/switchboard/node_modules/node/bin/node',
  args: ['/srv/switchboard/resources/run.mjs', 'mcp'],
}
const HERE = { url: URL, bridge }
const readme = readFileSync(new globalThis.URL('../../../README.md', import.meta.url), 'utf8')
const blocks = [...readme.matchAll(/```(sh|json)\n([\s\S]*?)```/g)].map(([, kind, text]) => ({ kind, text: text! }))
const jsons = blocks.filter(({ kind }) => kind === 'json' && !/…what/.test(kind)).map(({ text }) => JSON.parse(text))

describe('the instructions for a client', () => {
  test.each(['claude-desktop', 'cursor', 'vs-code'] as const)('%s gets the text of the README', (client) => {
    expect(jsons).toContainEqual(JSON.parse(setupOf(client, HERE).text))
  })

  test('claude-code gets the command of the README', () => {
    expect(blocks.map(({ text }) => text.trim())).toContain(setupOf('claude-code', HERE).text)
  })

  test('a new key is inserted only where it belongs', () => {
    const holding = CLIENTS.filter((client) =>
      setupOf(client, { ...HERE, key: 'swb_secret' }).text.includes('swb_secret'),
    )
    expect(holding).toEqual(CLIENTS.filter((client) => setupOf(client, { ...HERE, key: 'swb_secret' }).holdsKey))
    expect(holding).toEqual(['claude-desktop', 'claude-code', 'other'])
  })

  test('an address with a question mark is quoted for the shell', () => {
    expect(setupOf('claude-code', { ...HERE, url: addressFor(URL, 'all') }).text).toContain(
      `'${URL}?toolsets=all' --header`,
    )
  })

  test('without our bridge, as in the packaged app, Claude Desktop uses the one from npm', () => {
    const given = JSON.parse(setupOf('claude-desktop', { url: URL, bridge: null, key: 'swb_secret' }).text)
    expect(given.mcpServers.switchboard).toEqual({
      command: 'npx',
      args: ['-y', 'mcp-remote', URL, '--header', 'Authorization:${AUTHORIZATION}', '--allow-http'],
      env: { AUTHORIZATION: 'Bearer swb_secret' },
    })
    expect(setupOf('claude-desktop', { url: 'https://a.example/mcp', bridge: null }).text).not.toContain('allow-http')
    for (const client of CLIENTS) expect(setupOf(client, { url: URL, bridge: null }).text).toContain(URL)
  })

  test('the URL selects the tools', () => {
    expect([addressFor(URL, 'usual'), addressFor(URL, 'readonly')]).toEqual([URL, `${URL}/readonly`])
  })
})
