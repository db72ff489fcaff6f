import type { FastifyRequest } from 'fastify'
import { LIMITS } from '../contract/limits.ts'
import { networkOf } from '../kernel/address-range.ts'
import { createConcurrencyLimiter, type Slot } from '../kernel/concurrency-limiter.ts'
import type { AccountId } from '../kernel/ids.ts'

/** There are never enough connections for more of them to matter. */
const SMALL_BYTES = 64 * 1024

/** Memory for bodies that are read as a whole, and for callbacks and sign-ins before anybody knows who sends them. */
interface BodyMemory {
  /** @returns undefined if there is no room: the request is refused before its body is read. */
  take(request: FastifyRequest): Pick<Slot, 'release'> | undefined
}

/**
 * One account may have half of the memory, and so may strangers from one network.
 * @param bytes that all bodies may take.
 */
export function createBodyMemory(bytes: number = LIMITS.bodyBytesInFlight): BodyMemory {
  const limiter = createConcurrencyLimiter({ inAll: COUNT, perAccount: COUNT, bytes })
  return {
    take(request) {
      const size = sizeOf(request)
      if (size <= SMALL_BYTES || isStreamed(request)) return NOTHING
      const { principal } = request.admitted
      const owner = principal?.accountId ?? (networkOf(request.ip) as AccountId)
      return limiter.acquire({ accountId: owner }, size)
    },
  }
}

const COUNT = 10_000
const NOTHING = { release() {} }

/** What it says, or as much as it may have. */
function sizeOf({ headers, routeOptions }: FastifyRequest): number {
  const most = routeOptions.bodyLimit
  return headers['transfer-encoding'] === undefined ? Math.min(Number(headers['content-length'] ?? 0), most) : most
}

/** Files go to the disk as they arrive, also those of the console. */
const isStreamed = ({ headers, routeOptions: { config } }: FastifyRequest): boolean =>
  config.operation?.bodyFile !== undefined ||
  (config.console === 'panel' && !/^application\/json\b/i.test(headers['content-type'] ?? ''))
