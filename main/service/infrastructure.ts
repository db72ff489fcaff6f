import { join } from 'node:path'
import type { Notice } from '../contract/notice.ts'
import { createApiActivity } from '../kernel/api-activity.ts'
import type { Clock } from '../kernel/clock.ts'
import { createClockJumps } from '../kernel/clock-jumps.ts'
import { createDocumentReader } from '../kernel/documents/index.ts'
import { createFiles } from '../kernel/files.ts'
import { createIdempotency } from '../kernel/idempotency.ts'
import { createJobs } from '../kernel/jobs.ts'
import { createKeyDerivation } from '../kernel/key-derivation.ts'
import { createLedger } from '../kernel/ledger.ts'
import { createMediaConverter } from '../kernel/media-converter.ts'
import { createNodes } from '../kernel/nodes.ts'
import { createNoticeBus } from '../kernel/notice-bus.ts'
import { createOutbound, systemResolve } from '../outbound/outbound.ts'
import { createCursors, cursorKey } from '../kernel/page.ts'
import { createSeal } from '../kernel/seal.ts'
import { importKeytar } from '../vault/keychain.ts'
import { openVault } from '../vault/open.ts'
import type { Home } from './home.ts'
import { monitorStorage } from './storage-monitor.ts'
import type { RunningWorld } from './world.ts'

export type Infrastructure = Awaited<ReturnType<typeof openInfrastructure>>

/**
 * What every room needs and no room owns.
 * @param computerClock the computer's clock; `world.clock` follows it when due times have been moved.
 */
export async function openInfrastructure(world: RunningWorld, home: Home, computerClock: Clock) {
  const { db, ids } = home
  const { clock, random, config } = world
  const live = createNoticeBus<Notice>(clock)
  const storage = monitorStorage(world, home, live)
  const vault = await openVault({ ...world, db, importKeytar: world.importKeytar ?? importKeytar })
  const apiActivity = createApiActivity(clock)
  const nodes = createNodes({ db, clock })
  const network = { clock, resolve: world.resolve ?? systemResolve, dial: world.dial }
  const publishService = () => live.publish(null, { topic: 'service' })
  vault.onChange(publishService)
  for (const health of world.logHealth) health.onChange(publishService)
  return {
    vault,
    seal: createSeal({ masterKey: vault, random }),
    cursors: createCursors(await cursorKey(db, random)),
    ledger: createLedger({ clock, ids }),
    live,
    storage,
    writeGate: storage.writeGate,
    clockJumps: createClockJumps(computerClock),
    apiActivity,
    nodes,
    jobs: createJobs({ ...world, db, nodes, apiActivity, writeGate: storage.writeGate }),
    files: createFiles({ db, clock, ids, folder: join(config.home, 'files') }),
    converter: createMediaConverter({ clock, log: world.log, program: world.mediaProgram ?? null }),
    keyDerivation: createKeyDerivation(),
    documents: createDocumentReader({ clock, log: world.log, start: world.startDocuments ?? null }),
    idempotency: createIdempotency({ clock }),
    outbound: createOutbound({ ...network, trustedRanges: config.trustedRanges }),
    publicOutbound: createOutbound({ ...network, trustedRanges: [] }),
  }
}
