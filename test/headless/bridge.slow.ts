import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ENTRY, startProcess, testHome, until, type RunningService, type TestHome } from '../support/service-process.ts'

let home: TestHome
let service: RunningService
let key: string
beforeAll(async () => {
  home = testHome()
  service = await home.start()
  key = (await home.key('Assistant')).key
})
afterAll(() => home.remove())

const addressOf = ({ url }: RunningService) => `${url}/mcp`

/** An assistant that speaks stdio alone, and what the bridge told the person. */
async function connect(era: 'modern' | 'legacy', url: string, token = key, agree?: (message: string) => void) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [ENTRY, 'mcp', '--url', url],
    env: { SWITCHBOARD_KEY: token },
    stderr: 'pipe',
  })
  let told = ''
  transport.stderr?.on('data', (chunk) => (told += String(chunk)))
  const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy'
  const capabilities = agree === undefined ? {} : { elicitation: {} }
  const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } })
  if (agree !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }) => {
      agree(params.message)
      return { action: 'accept', content: { confirm: true } }
    })
  const strange: Error[] = []
  client.onerror = (error) => strange.push(error)
  onTestFinished(() => client.close())
  await client.connect(transport)
  return { client, strange, told: () => told }
}

/** The bridge alone, with lines of the test's own. */
function bridge(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [ENTRY, 'mcp', ...args], { env: { PATH: process.env['PATH'], ...env } })
  onTestFinished(() => void child.kill('SIGKILL'))
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk) => (out += String(chunk)))
  child.stderr.on('data', (chunk) => (err += String(chunk)))
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const say = (message: unknown) =>
    child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)
  return { say, end: () => child.stdin.end(), out: () => out, err: () => err, ended }
}

const initialize = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
})

const discover = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'server/discover',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    },
  },
})

describe.each(['modern', 'legacy'] as const)('through the bridge a %s client', (era) => {
  test('lists tools, calls them and gets errors as over HTTP', async () => {
    const { client, strange, told } = await connect(era, addressOf(service))
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('send_message')
    const made = await client.callTool({ name: 'create_instance', arguments: { name: 'Front desk' } })
    expect(made.structuredContent).toMatchObject({ name: 'Front desk' })
    const refused = await client.callTool({ name: 'get_instance', arguments: { instance_id: 'nothing' } })
    expect(refused.structuredContent).toMatchObject({ error: { code: 'not_found' } })
    await expect(client.callTool({ name: 'drop_table', arguments: {} })).rejects.toMatchObject({ code: -32_602 })
    expect(strange).toEqual([])
    expect(told()).toBe('')
  })

  test('gets the answers of many concurrent calls, each its own', async () => {
    const { client } = await connect(era, addressOf(service))
    const names = Array.from({ length: 20 }, (_, i) => `Line ${i}`)
    const made = await Promise.all(
      names.map((name) => client.callTool({ name: 'create_instance', arguments: { name } })),
    )
    expect(made.map(({ structuredContent }) => (structuredContent as { name: string }).name)).toEqual(names)
  })

  test('asks the person to confirm an irreversible call', async () => {
    const asked: string[] = []
    const { client } = await connect(era, addressOf(service), key, (message) => asked.push(message))
    const made = await client.callTool({ name: 'create_instance', arguments: { name: 'Back office' } })
    const { id } = made.structuredContent as { id: string }
    const gone = await client.callTool({ name: 'delete_instance', arguments: { instance_id: id } })
    expect(gone.structuredContent).toMatchObject({ id, deleted: true })
    expect(asked).toEqual([`Delete an instance: “Back office” (${id}). This cannot be undone.`])
  })

  test('sees the tools that the URL selects', async () => {
    const { client } = await connect(era, `${addressOf(service)}/readonly?toolsets=webhooks`)
    const { tools } = await client.listTools()
    expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).toEqual(tools.map(() => true))
    expect(tools.map(({ name }) => name)).toContain('list_webhooks')
    expect(tools.map(({ name }) => name)).not.toContain('list_instances')
  })

  test('continues to work after the service restarts', async () => {
    const other = testHome()
    onTestFinished(() => other.remove())
    const first = await other.start()
    const token = (await other.key('Assistant')).key
    const { client, told } = await connect(era, addressOf(first), token)
    await client.listTools()
    await first.end('SIGTERM')
    await expect(client.callTool({ name: 'get_me', arguments: {} })).rejects.toThrow(/Can't reach Switchboard/)
    await until('the sentence for the person', () => told().includes('npm start') || undefined)
    const { port } = new URL(first.url)
    const env = { ...process.env, SWITCHBOARD_VAULT: 'file', SWITCHBOARD_LOG_LEVEL: 'warn' }
    const second = startProcess(['serve', '--port', port, '--home', other.dir], env)
    onTestFinished(async () => {
      await second.end('SIGKILL')
    })
    const back = await until('an answer of the new service', () =>
      client.callTool({ name: 'get_me', arguments: {} }).catch(() => undefined),
    )
    expect(back.isError).toBeUndefined()
  })

  const ask = era === 'modern' ? discover : initialize

  test('gets an error when the key is refused, and the person sees it too', async () => {
    const { id, key: token } = await home.key('Gone')
    await home.command('keys', 'revoke', id)
    const { say, out, err } = bridge(['--url', addressOf(service)], { SWITCHBOARD_KEY: token })
    say(ask(1))
    const said = await until('an answer', () => (out().includes('\n') ? out() : undefined))
    expect(JSON.parse(said)).toMatchObject({ id: 1, error: { message: expect.stringContaining('rejected the key') } })
    expect(err()).toContain('rejected the key')
    expect(err() + out()).not.toContain(token)
  })

  test('gets an error when no service is running, and the person sees it once', async () => {
    const { say, out, err } = bridge(['--url', 'http://127.0.0.1:9/mcp'], { SWITCHBOARD_KEY: key })
    say(ask(1))
    say(ask(2))
    const said = await until('two answers', () => (out().split('\n').length > 2 ? out() : undefined))
    const [first] = said.split('\n').map((line) => (line === '' ? undefined : JSON.parse(line)))
    expect(first.error.message).toContain("Can't reach Switchboard at http://127.0.0.1:9")
    expect(err().trimEnd().split('\n')).toEqual([first.error.message])
  })
})

describe('the bridge process', () => {
  test('ends with standard input, and ends its session', async () => {
    const { say, end, out, err, ended } = bridge(['--url', addressOf(service)], { SWITCHBOARD_KEY: key })
    say(initialize(1))
    await until('the answer', () => out().includes('\n') || undefined)
    end()
    expect(await ended).toBe(0)
    expect(
      out()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ jsonrpc: '2.0', id: 1 }])
    expect(err()).toBe('')
  })

  test('skips a line that is not a JSON-RPC message, and reports it', async () => {
    const { say, end, out, err, ended } = bridge(['--url', addressOf(service)], { SWITCHBOARD_KEY: key })
    say('{"jsonrpc":"2.0","id":{}}')
    say(initialize(2))
    await until('the answer', () => out().includes('\n') || undefined)
    expect(err()).toContain('not a JSON-RPC message')
    end()
    expect(await ended).toBe(0)
  })

  test('accepts the key as a flag too', async () => {
    const { say, end, out, ended } = bridge(['--key', key, '--url', addressOf(service)])
    say(initialize(3))
    await until('the answer', () => out().includes('"id":3') || undefined)
    end()
    expect(await ended).toBe(0)
  })

  test.each([
    ['no key', [], /No API key/],
    ['something that is no key', ['--key', 'swb_short'], /Not a Switchboard API key/],
    ['an address that is none', ['--url', '127.0.0.1:4780'], /not an http URL/],
    ['an unknown flag', ['--port', '1'], /--port/],
  ])('reports what is wrong with %s, and exits with 1', async (_what, args, words) => {
    const given = args.includes('--url') || args.includes('--port') ? { SWITCHBOARD_KEY: key } : {}
    const { err, out, ended } = bridge(args, given)
    expect(await ended).toBe(1)
    expect(err()).toMatch(words)
    expect(out()).toBe('')
  })
})
