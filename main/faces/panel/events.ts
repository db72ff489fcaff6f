import type { FastifyInstance, FastifyReply } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Notice } from '../../contract/notice.ts'
import type { Clock, Timer } from '../../kernel/clock.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { notSignedIn } from '../admission.ts'
import type { NoticeBus, NoticeFeed, NumberedNotice } from '../../kernel/notice-bus.ts'

export interface EventStreamDeps {
  readonly live: Pick<NoticeBus<Notice>, 'feed'>
  readonly clock: Pick<Clock, 'mono' | 'every'>
  /** Whether a session is still valid. */
  readonly isSignedIn: (sessionId: string) => Promise<boolean>
}

export interface EventStreams {
  /** Ends the streams of a session that was signed out. */
  endOf(sessionId: string): void
  /** Ends all streams. */
  close(): void
}

interface Stream {
  readonly accountId: AccountId
  /** null inside the desktop app. */
  readonly sessionId: string | null
  write(text: string): void
  end(): void
}

const HEARTBEAT_MS = 15_000
/** A reader this far behind is disconnected. It gets what it missed when it reconnects. */
const MAX_UNREAD_BYTES = 64 * 1024

/** `GET /panel/events`: notices of what changed, as server-sent events. */
export function addEventStream(app: FastifyInstance, { live, clock, isSignedIn }: EventStreamDeps): EventStreams {
  const streams = new Set<Stream>()
  let ticker: Timer | undefined
  let isClosed = false

  const sendHeartbeats = async () => {
    for (const stream of streams) {
      if (stream.sessionId === null || (await isSignedIn(stream.sessionId).catch(() => true))) stream.write(':\n\n')
      else stream.end()
    }
  }

  const keepAlive = () => {
    let beatMono = clock.mono()
    ticker ??= clock.every(1_000, () => {
      if (clock.mono() - beatMono < HEARTBEAT_MS) return
      beatMono = clock.mono()
      void sendHeartbeats()
    })
  }

  const openStream = (
    reply: FastifyReply,
    viewer: Pick<Stream, 'accountId' | 'sessionId'>,
    feed: NoticeFeed<Notice>,
  ): Stream => {
    const stream: Stream = { ...viewer, ...writerOf(reply) }
    streams.add(stream)
    const unsubscribe = feed.subscribe((notice) => stream.write(textOf(notice)))
    reply.raw.once('close', () => {
      unsubscribe()
      streams.delete(stream)
      if (streams.size > 0) return
      ticker?.cancel()
      ticker = undefined
    })
    keepAlive()
    return stream
  }

  app.get('/panel/events', { config: { console: 'panel' }, exposeHeadRoute: false }, (request, reply) => {
    const { principal } = request.admitted
    if (principal === null) throw notSignedIn()
    // Through the bridge, where an operator works in the account of a client.
    const sessionId = request.admitted.sessionId ?? principal.sessionId ?? null
    const { accountId, role } = principal
    const open = [...streams].filter((stream) => stream.accountId === accountId).length
    if (isClosed || open >= LIMITS.liveStreams) {
      const message = isClosed
        ? 'The service is stopping.'
        : `${LIMITS.liveStreams} windows are already open. Close one and try again.`
      const refusal = new ApiError('service_unavailable', message, { 'retry-after': '5' })
      throw isClosed ? refusal.because('service_stopping') : refusal.because('windows_full', { n: LIMITS.liveStreams })
    }
    beginStream(reply)
    const feed = live.feed({ accountId, isOperator: role === 'operator' })
    const stream = openStream(reply, { accountId, sessionId }, feed)
    stream.write(missed(feed, request.headers['last-event-id']))
    return reply
  })

  return {
    endOf(sessionId) {
      for (const stream of streams) if (stream.sessionId === sessionId) stream.end()
    },
    close() {
      isClosed = true
      for (const stream of streams) stream.end()
    },
  }
}

/** The notices a reader missed and the current position; `reset` if they are no longer available. */
function missed(feed: NoticeFeed<Notice>, lastEventId: string | string[] | undefined): string {
  const here = `id: ${feed.latest()}\n`
  if (typeof lastEventId !== 'string' || lastEventId === '') return `${here}\n`
  const notices = /^\d{1,16}$/.test(lastEventId) ? feed.since(Number(lastEventId)) : undefined
  if (notices === undefined) return `${here}event: reset\ndata: {}\n\n`
  return notices.length === 0 ? `${here}\n` : notices.map(textOf).join('')
}

const textOf = ({ id, notice }: NumberedNotice<Notice>) =>
  `id: ${id}\nevent: notice\ndata: ${JSON.stringify(notice)}\n\n`

/** Hijacks the reply from the framework, keeping the headers that the hooks have set. */
function beginStream(reply: FastifyReply): void {
  reply.hijack()
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // Turns off buffering in a proxy in front.
    'x-accel-buffering': 'no',
  })
}

function writerOf({ raw }: FastifyReply): Pick<Stream, 'write' | 'end'> {
  let unread = 0
  let isBlocked = false
  raw.on('drain', () => {
    isBlocked = false
    unread = 0
  })
  return {
    write(text) {
      if (raw.destroyed || raw.writableEnded) return
      if (!raw.write(text)) isBlocked = true
      if (isBlocked) unread += Buffer.byteLength(text)
      if (unread > MAX_UNREAD_BYTES) raw.destroy()
    },
    end: () => void raw.end(),
  }
}
