import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node'
import { isInitializeRequest, type McpServer } from '@modelcontextprotocol/server'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/ids.ts'
import { refuse, SESSION_NOT_FOUND, TRANSPORT_ERROR, type McpRequest } from './exchange.ts'

interface Session {
  readonly owner: string
  readonly server: McpServer
  readonly transport: NodeStreamableHTTPServerTransport
  usedAtMs: number
  /** Open responses, including listening streams. */
  open: number
}

export interface Sessions {
  /** @param owner of the session: for any other key it does not exist. */
  handle(request: McpRequest, owner: string): Promise<void>
  /** Ends every session of an owner, including its streams. */
  endOf(owner: string): Promise<void>
  close(): Promise<void>
}

const IDLE_MS = 30 * 60_000
/** A client that never ends its sessions loses its own oldest ones. */
const PER_OWNER = 32

/**
 * Clients of 2025-11-25 and older use sessions: `initialize` opens one, Mcp-Session-Id identifies it, DELETE ends it.
 * Sessions are in memory only; after a restart a client gets 404 and initializes again, as the protocol requires.
 */
export function createSessions(deps: { serve: () => McpServer; clock: Clock; random: Random }): Sessions {
  const { clock, random } = deps
  const sessions = new Map<string, Session>()

  const end = async (id: string, { server }: Session) => {
    sessions.delete(id)
    await server.close()
  }

  /** Needs no timer: sessions only grow when one is opened. */
  const makeRoom = async (owner: string) => {
    const idle = [...sessions].filter(([, session]) => session.open === 0 && clock.mono() - session.usedAtMs > IDLE_MS)
    for (const [id, session] of idle) await end(id, session)
    const own = [...sessions].filter(([, session]) => session.owner === owner)
    const surplus = own
      .toSorted(([, a], [, b]) => a.usedAtMs - b.usedAtMs)
      .slice(0, Math.max(0, own.length - PER_OWNER + 1))
    for (const [id, session] of surplus) await end(id, session)
  }

  const open = async (owner: string): Promise<Session> => {
    await makeRoom(owner)
    const server = deps.serve()
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => random.bytes(24).toString('base64url'),
      onsessioninitialized: (id) => void sessions.set(id, session),
    })
    const session: Session = { owner, server, transport, usedAtMs: clock.mono(), open: 0 }
    server.server.onclose = () => {
      if (transport.sessionId !== undefined) sessions.delete(transport.sessionId)
    }
    await server.connect(transport)
    return session
  }

  const answer = async (session: Session, { req, res, body }: McpRequest) => {
    session.usedAtMs = clock.mono()
    session.open++
    res.once('close', () => {
      session.open--
      session.usedAtMs = clock.mono()
    })
    await session.transport.handleRequest(req, res, body)
  }

  return {
    async handle(request, owner) {
      const id = request.req.headers['mcp-session-id']
      if (typeof id === 'string') {
        const session = sessions.get(id)
        if (session?.owner !== owner) return refuse(request, 404, SESSION_NOT_FOUND, 'Session not found')
        return answer(session, request)
      }
      if (!isInitializeRequest(request.body)) {
        return refuse(
          request,
          400,
          TRANSPORT_ERROR,
          'Bad Request: Mcp-Session-Id header is required; send initialize first',
        )
      }
      const session = await open(owner)
      await answer(session, request)
      // Rejected before the session started, for example because of its Accept header.
      if (session.transport.sessionId === undefined) await session.server.close()
    },
    async endOf(owner) {
      for (const [id, session] of sessions) if (session.owner === owner) await end(id, session)
    },
    async close() {
      for (const [id, session] of sessions) await end(id, session)
    },
  }
}
