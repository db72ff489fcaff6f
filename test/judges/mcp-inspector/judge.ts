import { mustAgree, Objection, type Court, type Judge } from '../court.ts'

const ERAS = ['modern', 'legacy'] as const

/** By default an assistant is shown what most need; every tool must be fit to be shown. */
const SHOWN = ['/mcp', '/mcp?toolsets=all']

/** `Warning: tool "x"`, then `  Path: inputSchema…`: what a model provider reads, and some refuse. */
const INPUT_WARNING = /^Warning: tool .*\n {2}Path: inputSchema.*(\n .*)*/gm

/**
 * The Inspector as a client of each era: it connects, lists the tools and lints their schemas. Its errors fail, and so
 * do its warnings about inputs. Those about outputs are known: nullable fields as `type: [string, null]`, which is
 * shorter than what it suggests. Nobody sends outputs to a model provider, and every list is paid for by its length.
 */
export const judge: Judge = {
  about: 'MCP tools as a client sees them, by the Inspector, both eras',
  async judge({ url, key, tool }: Court) {
    const counts: number[] = []
    for (const era of ERAS) {
      for (const path of SHOWN) {
        const heard = await tool('mcp-inspector', [
          ...['--cli', `${url}${path}`, '--transport', 'http', '--header', `Authorization: Bearer ${key}`],
          ...['--method', 'tools/list', '--strict', '--format', 'json', '--protocol-era', era],
        ])
        mustAgree(`mcp-inspector, ${era}, ${path}`, heard)
        const warnings = heard.err.match(INPUT_WARNING) ?? []
        if (warnings.length > 0) throw new Objection(`About ${path}, ${era}:\n${warnings.join('\n')}`)
        const { result } = JSON.parse(heard.out) as { result: { tools: unknown[] } }
        counts.push(result.tools.length)
      }
      const called = await tool('mcp-inspector', [
        ...['--cli', `${url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${key}`],
        ...['--method', 'tools/call', '--tool-name', 'get_me', '--format', 'json', '--protocol-era', era],
      ])
      mustAgree(`mcp-inspector calls get_me, ${era}`, called)
    }
    const stranger = await tool('mcp-inspector', [
      ...['--cli', `${url}/mcp`, '--transport', 'http', '--method', 'tools/list', '--format', 'json'],
    ])
    if (stranger.code !== NO_KEY) throw new Objection(`Without a key it should exit with ${NO_KEY}:\n${stranger.err}`)
    return `${Math.max(...counts)} tools`
  },
}

/** The Inspector's exit code where a server asks for authorization. */
const NO_KEY = 3
