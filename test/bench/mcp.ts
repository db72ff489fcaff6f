import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadInRounds, type Target } from './lib/http-load.ts'
import type { Report } from './lib/report.ts'
import { createKey, startService } from './lib/service.ts'
import { median, paired } from './lib/table.ts'

/** MCP calls, in the protocol revision without sessions, compared with the same operation over HTTP. */
const CONNECTIONS = 16
const ROUNDS = Number(process.env['ROUNDS'] ?? 5)
const SECONDS = Number(process.env['SECONDS'] ?? 2)
const REVISION = '2026-07-28'
const TOOL = 'get_me'

export async function mcp(): Promise<Report[]> {
  const home = mkdtempSync(join(tmpdir(), 'bench-mcp-'))
  const { program, url } = await startService(home)
  try {
    const authorization = `Bearer ${createKey(home)}`
    const common = { pid: program.pid, headers: { authorization } }
    const targets: Target[] = [
      { ...common, name: 'GET /v1/me', url: `${url}/v1/me`, method: 'GET' },
      { ...common, ...message('tools/call', { name: TOOL, arguments: {} }, authorization), url: `${url}/mcp` },
      { ...common, ...message('tools/list', {}, authorization), url: `${url}/mcp` },
    ]
    const rounds = await loadInRounds(targets, { connections: CONNECTIONS, rounds: ROUNDS, seconds: SECONDS })
    const cpu = rounds.map((all) => all.map((one) => one.cpu))
    return [
      {
        title: `MCP calls, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s, medians; the ratio is the median of same-round ratios`,
        rows: targets.map(({ name }, i) => ({
          call: name,
          'per second': median((rounds[i] ?? []).map(({ perSecond }) => perSecond)),
          'p99 ms': median((rounds[i] ?? []).map(({ p99 }) => p99)),
          'CPU µs each': median(cpu[i] ?? []),
          'CPU of the route': paired(cpu[i] ?? [], cpu[0] ?? []),
        })),
      },
    ]
  } finally {
    await program.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

function message(
  method: string,
  params: object,
  authorization: string,
): Pick<Target, 'name' | 'method' | 'headers' | 'body'> {
  const about = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  }
  return {
    name: method === 'tools/call' ? `${method} ${TOOL}` : method,
    method: 'POST',
    headers: {
      authorization,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': method,
      ...(method === 'tools/call' && { 'mcp-name': TOOL }),
    },
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: about } },
  }
}
