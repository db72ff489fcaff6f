import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What happens to the next COMMIT: it does not reach the server, or the server's answer does not come back. */
type CommitFault = 'commit_lost' | 'answer_lost'

export interface PostgresProxy {
  /** The address of the same database through the proxy. */
  readonly url: string
  /** Breaks the connection at the next COMMIT that a client sends. */
  breakNextCommit(fault: CommitFault): void
  /** Cuts all connections, and refuses new ones while it is off. */
  setOff(isOff: boolean): void
  /** Delays everything in each direction. */
  setDelay(ms: number): void
  close(): void
}

/** A network between a client and the server of `url`, whose socket file is in the `host` of the address. */
export async function proxyTo(url: string): Promise<PostgresProxy> {
  const target = new URL(url.replace('@/', '@localhost/'))
  const socketOf = (folder: string) => join(folder, '.s.PGSQL.5432')
  const server = socketOf(String(target.searchParams.get('host')))
  const folder = mkdtempSync(join(tmpdir(), 'postgres-proxy-'))
  chmodSync(folder, 0o755)
  const pairs = new Set<readonly [Socket, Socket]>()
  let fault: CommitFault | undefined
  let isOff = false
  let delayMs = 0

  function cut(pair: readonly [Socket, Socket]): void {
    for (const socket of pair) socket.destroy()
    pairs.delete(pair)
  }

  const later = (act: () => void) => void (delayMs === 0 ? act() : setTimeout(act, delayMs))

  const proxy = createServer((client) => {
    const upstream = connect(server)
    const pair = [client, upstream] as const
    pairs.add(pair)
    if (isOff) return cut(pair)
    for (const socket of pair) socket.on('error', () => cut(pair)).on('close', () => cut(pair))
    let isDeaf = false
    client.on('data', (bytes) => {
      if (fault !== undefined && bytes.includes('COMMIT')) {
        const now = fault
        fault = undefined
        if (now === 'commit_lost') return cut(pair)
        // The server executes it. Its answer is dropped with the connection.
        isDeaf = true
        upstream.once('data', () => cut(pair))
      }
      later(() => upstream.write(bytes))
    })
    upstream.on('data', (bytes) => {
      if (!isDeaf) later(() => client.write(bytes))
    })
  })
  proxy.listen(socketOf(folder))
  await once(proxy, 'listening')
  target.searchParams.set('host', folder)
  return {
    url: target.href.replace('@localhost/', '@/'),
    breakNextCommit: (next) => void (fault = next),
    setOff(off) {
      isOff = off
      if (off) for (const pair of pairs) cut(pair)
    },
    setDelay: (ms) => void (delayMs = ms),
    close() {
      proxy.close()
      for (const pair of pairs) cut(pair)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
