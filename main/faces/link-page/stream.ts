import type { FastifyReply } from 'fastify'
import type { LinkPage, LinkView } from '../../capabilities/links/index.ts'
import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Notice } from '../../contract/notice.ts'
import type { Clock, Timer } from '../../kernel/clock.ts'
import { createConcurrencyLimiter } from '../../kernel/concurrency-limiter.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'

export interface LinkStreamsDeps {
  readonly page: Pick<LinkPage, 'view'>
  readonly live: Pick<NoticeBus<Notice>, 'feed'>
  readonly clock: Pick<Clock, 'every' | 'mono'>
}

interface Stream {
  readonly token: string
  readonly look: () => Promise<void>
  readonly end: () => void
  /** Tells the page that another one has replaced it. */
  readonly giveWay: () => void
}

const LOOK_MS = 2_000
const HEARTBEAT_MS = 15_000
const MOST_OF_A_LINK = 10
const RETRY_AFTER_SECONDS = 10

/**
 * Sends an open page its new content after each change, and the end of its link. Each link has a limited number of
 * updated pages; a newly opened one replaces the oldest.
 */
export function createLinkStreams({ page, live, clock }: LinkStreamsDeps) {
  const streams = new Set<Stream>()
  const limiter = createConcurrencyLimiter(LIMITS.linkStreams)
  let timer: Timer | undefined

  /** Expiry and revocation send no notices, so pages are checked regularly. */
  const keepLooking = () => (timer ??= clock.every(LOOK_MS, () => streams.forEach((stream) => void stream.look())))

  return {
    /** Called when the service stops. */
    close(): void {
      for (const stream of streams) stream.end()
    },

    refresh(token: string): void {
      for (const stream of streams) if (stream.token === token) void stream.look()
    },

    /** @param full event for a page that exceeds the limit. @throws ApiError rate_limited */
    open(
      reply: FastifyReply,
      token: string,
      { accountId, instanceId }: { readonly accountId: AccountId; readonly instanceId: InstanceId },
      contentOf: (view: LinkView) => string,
      full: string,
    ): void {
      const ofLink = [...streams].filter((stream) => stream.token === token)
      for (const stream of ofLink.slice(0, Math.max(0, ofLink.length + 1 - MOST_OF_A_LINK))) stream.giveWay()
      const slot = limiter.acquire({ accountId, id: instanceId })
      if (slot === undefined) throw new ApiError('rate_limited', full, { 'retry-after': String(RETRY_AFTER_SECONDS) })
      reply.hijack()
      const { raw } = reply
      raw.writeHead(200, {
        ...(reply.getHeaders() as Record<string, string>),
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-robots-tag': 'noindex, nofollow',
        'x-accel-buffering': 'no',
      })
      let shown = ''
      let writtenMono = clock.mono()
      let looking: Promise<void> | undefined
      let asked = 0
      const write = (text: string) => {
        if (raw.destroyed || raw.writableEnded) return
        writtenMono = clock.mono()
        raw.write(text)
      }
      const send = async () => {
        const view = await page.view(token, true)
        if (view === undefined) {
          write('event: gone\ndata: {}\n\n')
          return void raw.end()
        }
        const content = contentOf(view)
        // The countdown runs in the browser.
        const key = content.replaceAll(/data-seconds="\d+"><span data-left>\d+/g, '')
        if (key === shown) {
          if (clock.mono() - writtenMono >= HEARTBEAT_MS) write(':\n\n')
          return
        }
        shown = key
        write(`event: ${view.isDone ? 'done' : 'view'}\ndata: ${JSON.stringify(content)}\n\n`)
        if (view.isDone) raw.end()
      }
      // One check at a time, because two could finish in the wrong order. After a failed check, the next one runs as
      // usual.
      const lookUntilCurrent = async () => {
        // A running check may have read data older than the notice that requests another.
        for (let answered = 0; answered !== asked;) {
          answered = asked
          await send().catch(() => {})
        }
      }
      const look = (): Promise<void> => {
        asked++
        return (looking ??= lookUntilCurrent().finally(() => (looking = undefined)))
      }
      const stream: Stream = {
        ...{ token, look, end: () => void raw.end() },
        giveWay() {
          write('event: replaced\ndata: {}\n\n')
          raw.end()
          forget()
        },
      }
      streams.add(stream)
      const unsubscribe = live.feed({ accountId, isOperator: false }).subscribe(({ notice }) => {
        // The account may have been suspended.
        const isOurs = notice.topic === 'account' || notice.id === instanceId || notice.instance_id === instanceId
        if (isOurs) void look()
      })
      const forget = () => {
        slot.release()
        unsubscribe()
        streams.delete(stream)
        if (streams.size > 0) return
        timer?.cancel()
        timer = undefined
      }
      raw.once('close', forget)
      keepLooking()
      void look()
    },
  }
}
