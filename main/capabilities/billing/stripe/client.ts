import type Stripe from 'stripe'
import type { Outbound } from '../../../outbound/outbound.ts'
import type { Secret } from '../../../kernel/secret.ts'

/** Stripe's client got no answer. */
export class NotAnswered extends Error {
  /** false: nothing was sent. */
  readonly sent: boolean

  constructor(code: string, sent: boolean) {
    super(`no answer (${code})`)
    this.name = 'NotAnswered'
    this.sent = sent
  }
}

interface ClientDeps {
  readonly key: Secret
  /** `https://api.stripe.com`, or the simulator's address. */
  readonly baseUrl: string
  readonly outbound: Pick<Outbound, 'request'>
}

const HEADERS_MS = 20_000
const BODY_MS = 10_000
const BODY_BYTES = 4 * 1024 * 1024

/** Created on first use, and kept. */
export function lazyClient(make: () => Promise<Stripe>): () => Promise<Stripe> {
  let client: Promise<Stripe> | undefined
  return () => (client ??= make())
}

/** Loaded on first use: the library takes 25 MB. */
let library: Promise<typeof Stripe> | undefined
export const stripeLibrary = (): Promise<typeof Stripe> =>
  (library ??= import('stripe').then((module) => module.default))

/**
 * Stripe's own client over our guarded outbound. Its automatic retries are off: the code that records an outcome
 * decides about a retry.
 */
export async function createStripeClient({ key, baseUrl, outbound }: ClientDeps): Promise<Stripe> {
  const library = await stripeLibrary()
  const { hostname, port, protocol } = new URL(baseUrl)
  return new library(key.open(), {
    host: hostname,
    port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
    protocol: protocol === 'https:' ? 'https' : 'http',
    httpClient: httpClientOver(outbound),
    maxNetworkRetries: 0,
    timeout: HEADERS_MS,
    telemetry: false,
  })
}

function httpClientOver(outbound: Pick<Outbound, 'request'>): InstanceType<typeof Stripe.HttpClient> {
  return {
    getClientName: () => 'switchboard',
    async makeRequest(host, port, path, method, headers, requestData, protocol) {
      const answer = await outbound.request({
        url: `${protocol}://${host}:${port}${path}`,
        method: method as 'GET' | 'POST' | 'DELETE',
        headers: textHeaders(headers),
        ...(requestData && { body: Buffer.from(requestData) }),
        headersTimeoutMs: HEADERS_MS,
        bodyTimeoutMs: BODY_MS,
        maxBodyBytes: BODY_BYTES,
        // The operator's own account at Stripe.
        from: { accountId: '' as never },
      })
      if (answer.kind === 'failure') throw new NotAnswered(answer.code, answer.sent)
      if (answer.truncated) throw new NotAnswered('broken_body', true)
      return {
        getStatusCode: () => answer.status,
        getHeaders: () => answer.headers,
        getRawResponse: () => answer,
        toStream: () => {
          throw new Error('Streams are not used.')
        },
        toJSON: () => Promise.resolve().then(() => JSON.parse(answer.body.toString()) as unknown),
      }
    },
  }
}

/** Converts headers to text; the client leaves some undefined. */
const textHeaders = (headers: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value === undefined || value === null || name.toLowerCase() === 'content-length') return []
      return [[name, String(value)]]
    }),
  )
