import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { receiverAuthority, startReceiver } from '../support/receiver.ts'

/** One delivery as it arrived outside of the service. */
export interface Seen {
  readonly atMs: number
  readonly eventId: string
  readonly attempt: number
  readonly timestamp: string
  readonly body: Buffer
  /** The current one, and the previous one where it was sent. */
  readonly signatures: readonly string[]
}

/** Where the deliveries of one webhook arrive. It outlives every process of the service. */
export interface Landing {
  readonly url: string
  readonly seen: readonly Seen[]
  /** What it answers from now on; 200 at first. */
  status: number
  /** What a service needs to trust it, and to start as fast as the time before. */
  readonly environment: Readonly<Record<string, string>>
}

/** A receiver on this machine, over TLS, with a place for each webhook. */
export async function openLandings() {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-landing-'))
  const authority = join(folder, 'authority.pem')
  const places = new Map<string, { status: number; seen: Seen[] }>()
  const receiver = await startReceiver({ name: '127.0.0.1', address: '127.0.0.1' })
  writeFileSync(authority, receiverAuthority().cert)
  receiver.answer(({ path, atMs, headers, body }) => {
    const place = places.get(path)
    if (place === undefined) return { status: 404 }
    const signatures = [headers['x-service-signature'], headers['x-service-signature-previous']]
    place.seen.push({
      ...{ atMs, body },
      eventId: String(headers['x-service-event-id']),
      attempt: Number(headers['x-service-attempt']),
      timestamp: String(headers['x-service-timestamp']),
      signatures: signatures.filter((one) => typeof one === 'string'),
    })
    return { status: place.status }
  })
  return {
    open(name: string): Landing {
      const path = `/${encodeURIComponent(name)}`
      const place = { status: 200, seen: [] as Seen[] }
      places.set(path, place)
      return Object.assign(place, {
        url: `https://127.0.0.1:${receiver.port}${path}`,
        environment: { NODE_EXTRA_CA_CERTS: authority, NODE_COMPILE_CACHE: join(folder, 'compiled') },
      })
    },
    async close() {
      await receiver.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
