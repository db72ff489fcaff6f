import type { FastifyRequest } from 'fastify'
import { LIMITS } from '../contract/limits.ts'
import { networkOf } from '../kernel/address-range.ts'
import { createConcurrencyLimiter, type Slot } from '../kernel/concurrency-limiter.ts'
import type { AccountId } from '../kernel/ids.ts'

/** Smaller bodies are not counted: the limit of connections also limits their memory. */
const SMALL_BYTES = 64 * 1024

/** Limits the memory for bodies that are read as a whole, and for callbacks and sign-ins before the sender is known. */
interface BodyMemory {
  /** @returns undefined if the memory is used up: the request is refused before its body is read. */
  take(request: FastifyRequest): Pick<Slot, 'release'> | undefined
}

/**
 * One account may use half of the memory, and so may unknown callers from one network.
 * @param bytes limit for all bodies.
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

/** The announced size, or the largest allowed one. */
function sizeOf({ headers, routeOptions }: FastifyRequest): number {
  const most = routeOptions.bodyLimit
  return headers['transfer-encoding'] === undefined ? Math.min(Number(headers['content-length'] ?? 0), most) : most
}

/** Files are written to disk as they arrive, including those of the console. */
const isStreamed = ({ headers, routeOptions: { config } }: FastifyRequest): boolean =>
  config.operation?.bodyFile !== undefined ||
  (config.console === 'panel' && !/^application\/json\b/i.test(headers['content-type'] ?? ''))
