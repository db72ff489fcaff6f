import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { install } from '../../judges/court.ts'
import { createAuthority } from '../../support/certificates.ts'
import { startPeer, type Peer } from './peer.ts'
import { startPostgres, startRedis, type Store } from './stores.ts'

/** The signing secret of all senders except the product, which generates its own. */
export const SECRET = `whsec_${'a1b2c3d4'.repeat(6)}`
export const REFERENCE = 'Batched pipeline on SQLite'
export const BULLMQ = 'BullMQ on Redis, AOF everysec'
const PG_BOSS = 'pg-boss on PostgreSQL, batched'

/** The common receiver, and the servers in which some senders keep their queue. */
export interface Place {
  readonly receiver: Peer
  readonly port: number
  /** The certificate authority of the receiver, for NODE_EXTRA_CA_CERTS. */
  readonly authorityFile: string
  /** The programs that could not be compared, with the reasons. */
  readonly missing: readonly string[]
  readonly redis: Store | undefined
  readonly postgres: Store | undefined
  close(): Promise<void>
}

/** A sender in its own process, together with the server for its queue. */
export interface Sender extends Peer {
  readonly name: string
  /** The ids of all processes that work for it. */
  pids(): readonly number[]
}

/** `RIVALS=none` leaves out BullMQ and pg-boss, for a quick run. */
const hasRivals = () => process.env['RIVALS'] !== 'none'

export async function openPlace(): Promise<Place> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-receiver-'))
  const authority = createAuthority()
  const { cert, key } = authority.issue(['127.0.0.1'])
  const authorityFile = join(dir, 'authority.pem')
  writeFileSync(authorityFile, authority.cert)
  const receiver = await startPeer(join(import.meta.dirname, 'receiver-child.ts'), { CERT: cert, KEY: key })
  const [redis, postgres] = hasRivals() ? [await startRedis(), await startPostgres()] : []
  const why = hasRivals() ? 'is not installed' : 'was left out'
  return {
    ...{ receiver, authorityFile, redis, postgres },
    missing: [...(redis ? [] : [`BullMQ (Redis ${why})`]), ...(postgres ? [] : [`pg-boss (PostgreSQL ${why})`])],
    port: await receiver.ask<number>('port'),
    async close() {
      for (const one of [receiver, redis, postgres]) await one?.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** The reference pipeline and, if their servers are installed, BullMQ and pg-boss. */
export async function startSenders(place: Place, inFlight: number): Promise<Sender[]> {
  const settings = {
    ...{ SECRET, PORT: String(place.port), IN_FLIGHT: String(inFlight), NODE_EXTRA_CA_CERTS: place.authorityFile },
  }
  const { redis, postgres } = place
  const senders = [await start(REFERENCE, 'reference/delivery-pipeline.ts', settings)]
  if (redis) {
    await install(here('rivals/bullmq'))
    const REDIS_PORT = String(redis.port)
    senders.push(await start(BULLMQ, 'rivals/bullmq/worker.ts', { ...settings, REDIS_PORT }, redis))
  }
  if (postgres) {
    await install(here('rivals/pg-boss'))
    const POSTGRES = `postgres://bench@127.0.0.1:${postgres.port}/postgres`
    senders.push(await start(PG_BOSS, 'rivals/pg-boss/worker.ts', { ...settings, POSTGRES }, postgres))
  }
  return senders
}

async function start(name: string, file: string, settings: Record<string, string>, store?: Store): Promise<Sender> {
  const peer = await startPeer(here(file), settings)
  return { ...peer, name, pids: () => [peer.pid, ...(store?.pids() ?? [])] }
}

const here = (path: string) => join(import.meta.dirname, '..', path)
