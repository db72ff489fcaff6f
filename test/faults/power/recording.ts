import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Api, Reply } from '../../support/service-process.ts'
import type { Landing } from '../landing.ts'
import { sendingHome, settled } from '../sending-home.ts'
import { startTraced, stopTraced } from '../strace.ts'
import { STRACE_WORDS } from './strace-log.ts'

const CLIENTS = 16
const IN_FLIGHT = 16

/** Calls that make an instance, among those that send. */
const INSTANCE_EVERY = 10

/** What was seen to be answered with 201. */
export interface Acknowledged {
  /** Of a message, or of an instance, whose making is an event. */
  readonly id: string
  /** The Idempotency-Key of a send; null for an instance. */
  readonly key: string | null
  readonly atMs: number
}

/** A service from its start to its end, with every write and sync of its database. */
export interface Recording {
  /** The folder of the service, as its records name it. */
  readonly folder: string
  /** The home as it was before. */
  readonly before: string
  readonly log: string
  readonly acknowledged: readonly Acknowledged[]
  remove(): Promise<void>
}

/** Lets the built service send and deliver under strace, and stops it. */
export async function recordService(landing: Landing, sends: number): Promise<Recording> {
  const { environment } = landing
  const { home, database, key, messages, customer } = await sendingHome(landing, IN_FLIGHT, (of) =>
    of.start(environment),
  )
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-power-'))
  const [before, log] = [join(folder, 'before'), join(folder, 'strace.log')]
  cpSync(home.dir, before, { recursive: true })
  const paths = [database, `${database}-wal`, home.dir].flatMap((path) => ['-P', path])
  const service = await startTraced([...STRACE_WORDS, ...paths, '-o', log], home.dir, environment)
  const acknowledged: Acknowledged[] = []
  const numbers = Array.from({ length: sends }, (_, n) => n).values()
  await Promise.all(Array.from({ length: CLIENTS }, () => client(service.api(key))))
  await settled(database)
  await stopTraced(service, home.dir)

  async function client(api: Api): Promise<void> {
    for (const n of numbers) {
      if (n % INSTANCE_EVERY === 0) note(null, await api('POST', '/v1/instances', { name: `Line ${n}` }))
      const body = { to: customer, text: `Order ${n}` }
      const sent = await api('POST', messages, body, { 'idempotency-key': `order-${n}` })
      note(`order-${n}`, sent)
    }
  }

  function note(key: string | null, { status, body }: Reply): void {
    expect(status).toBe(201)
    acknowledged.push({ id: key === null ? body.id : body.message_id, key, atMs: Date.now() })
  }

  return {
    ...{ folder: home.dir, before, log, acknowledged },
    async remove() {
      rmSync(folder, { recursive: true })
      await home.remove()
    },
  }
}
