/**
 * The service as main/ composes it, which kills itself: `node service-child.ts 'mid rotate' 2 --home …` does so when it
 * reaches that point for the second time. Nothing of this is in the product.
 */
import { flushCompileCache } from 'node:module'
import { serveCommand } from '../../../main/commands/serve.ts'
import { systemTerminal } from '../../../main/commands/terminal.ts'
import { settingsOf, worldOf } from '../../../main/machine.ts'
import type { World } from '../../../main/service.ts'
import { openStorage, type OpenStorage } from '../../../main/storage/sqlite.ts'
import { mined, minedSteps } from './mined-storage.ts'
import { POINTS, type PointName } from './points.ts'

/** Too little for the service: it removes what is old as soon as it has started, and not an hour later. */
const SCARCE_BYTES = 20_000_000

const [name = '', time = '', ...argv] = process.argv.slice(2)
if (!Object.hasOwn(POINTS, name)) throw new Error(`There is no point ${name}.`)
const point = name as PointName

const die = () => void process.kill(process.pid, 'SIGKILL')
let left = Number(time)
const reach = () => {
  if (--left === 0) die()
}

const openMined: OpenStorage = async (needs) => {
  const isSteps = point === 'mid migration'
  const migrations = isSteps ? minedSteps(needs.migrations, left, die) : needs.migrations
  return mined(await openStorage({ ...needs, migrations }), point, reach)
}

function newWorld(): World {
  const { config } = settingsOf(argv)
  return {
    ...worldOf(config, config.logLevel),
    openStorage: openMined,
    ...(point === 'mid prune' && { freeBytes: async () => SCARCE_BYTES }),
  }
}

// It does not live to its end, where this is done otherwise.
flushCompileCache()
process.exitCode = await serveCommand(settingsOf(argv).rest, newWorld, systemTerminal)
