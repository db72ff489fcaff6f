import { homedir } from 'node:os'
import { consolePrincipal, createAccounts } from './capabilities/account/index.ts'
import { createBackups } from './capabilities/service/index.ts'
import { knownInstances } from './capabilities/instances/index.ts'
import type { Notice } from './contract/notice.ts'
import { createCommands } from './faces/commands.ts'
import type { ControlRequest } from './faces/control.ts'
import type { Door } from './faces/http.ts'
import type { BridgeAnswer, BridgeRequest } from './faces/panel/bridge.ts'
import type { Db } from './kernel/db.ts'
import { createSteadyClock } from './kernel/steady-clock.ts'
import { atMost } from './kernel/timeout.ts'
import { createHousekeeping, onlyWhen } from './kernel/housekeeping.ts'
import { createKeyDerivation } from './kernel/key-derivation.ts'
import type { LogHealth } from './kernel/log-health.ts'
import { createLogFile, logFolderOf, teeLog } from './kernel/log-file.ts'
import { withRecentLines } from './kernel/recent-log.ts'
import { followClockChanges } from './service/clock-changes.ts'
import { openDoor } from './service/door.ts'
import { backupsOf, serviceFacts, vaultFacts, warningsOf } from './service/facts.ts'
import { databaseIn, openHome, type Home } from './service/home.ts'
import { explainStartError } from './service/home-faults.ts'
import { listen, openControl, localUrlOf } from './service/listen.ts'
import { openInfrastructure, type Infrastructure } from './service/infrastructure.ts'
import { buildRooms, type Rooms } from './service/rooms.ts'
import { createShutdown, type Closable } from './service/shutdown.ts'
import { createLiveSettings } from './service/live-settings.ts'
import { automaticBackups } from './storage/automatic-backups.ts'
import { compactedFacts } from './storage/compacted-facts.ts'
import { listDataLosses } from './storage/data-loss.ts'
import type { RunningWorld, World } from './service/world.ts'

export { HomeInUse, StartError, type World } from './service/world.ts'

export interface Service extends Closable {
  /** URL it listens on, without a trailing slash. */
  readonly url: string
  /** Warnings for the person who starts it. */
  readonly warnings: readonly string[]
  readonly door: Door
  readonly db: Db
  /**
   * URL that opens the console in a browser, with a code that signs in once; null if this build has no console. Every
   * call creates a new code.
   */
  newConsoleAddress(): string | null
  /** A request of the window inside this process. */
  askAsConsole(request: BridgeRequest): Promise<BridgeAnswer>
  /** Notifies the operator's open windows that something changed. */
  publish(notice: Notice): void
  /** The system reported that this machine woke up, or that its network changed. */
  resumed(): void
  /** The system reported that the screen was unlocked, and so perhaps the keychain. */
  unlocked(): void
  /** Subscribes to the notices that the operator's windows get. @returns unsubscribe. */
  onNotice(listener: (notice: Notice) => void): () => void
  carryOut(request: ControlRequest): Promise<unknown>
}

/** How long requests and deliveries in progress may take to finish when the service stops. */
const DRAIN_MS = 5_000

/**
 * Opens the home folder for one command, without engines or network. `warnings` are the problems found while opening
 * it.
 */
export async function openForCommands(world: World): Promise<Pick<Service, 'carryOut' | 'close' | 'warnings'>> {
  let home: Home | undefined
  try {
    const known = listDataLosses(world.config.home)
    home = await openHome(world, 'command')
    return await commandsOf(world, home, known)
  } catch (error) {
    await home?.close()
    throw explainStartError(world.config, error)
  }
}

async function commandsOf(world: World, home: Home, knownLosses: readonly string[]) {
  const accounts = createAccounts({
    ...world,
    ...home,
    keyDerivation: createKeyDerivation(),
    ratePerMinute: world.config.ratePerMinute,
    knownInstances: knownInstances(home.db),
  })
  const account = await accounts.ensureOperatorAccount()
  return {
    warnings: home.dataLosses().filter((sentence) => !knownLosses.includes(sentence)),
    carryOut: createCommands({
      accounts,
      accountId: account.id,
      instances: null,
      copies: createBackups({ ...world, live: { publish() {} }, copies: backupsOf(world, home) }),
      newConsoleAddress: () => null,
      facts: () => null,
    }),
    async close() {
      await accounts.close()
      await home.close()
    },
  }
}

/** Builds every room, recovers what an earlier process left, listens, and only then starts workers. */
export async function startService(given: World): Promise<Service> {
  const { config, editor } = createLiveSettings(given.config)
  const logFile = logFileOf(given)
  const log = withRecentLines(teeLog(given.log, logFile), given.clock)
  const logHealth = [logFile, ...healthOf(given.log)]
  for (const { problem, onChange } of logHealth)
    onChange(() => {
      if (problem() !== null) log.warn({ event: 'log.not_kept', problem: problem() })
    })
  const clock = createSteadyClock(given.clock)
  const world: RunningWorld = { ...given, clock, config, log, logHealth }
  const opened = await openHome(world, 'service')
  const home: Home = { ...opened, close: () => opened.close().finally(logFile.close) }
  try {
    const machinery = await openInfrastructure(world, home, given.clock)
    const clockChanges = followClockChanges({ clock, log, db: home.db, nodes: machinery.nodes })
    return await run(world, home, machinery, buildRooms(world, home, machinery, editor), clockChanges)
  } catch (error) {
    await home.close()
    throw explainStartError(config, error)
  }
}

const healthOf = ({ problem, onChange }: World['log']): LogHealth[] =>
  problem === undefined || onChange === undefined ? [] : [{ problem, onChange }]

const logFileOf = ({ clock, config }: World) =>
  createLogFile({
    ...{ clock, folder: logFolderOf(config.home), level: config.logLevel },
    ...{ bytes: config.logFileMb * 1_000_000, files: config.logFiles, folders: [config.home, homedir()] },
  })

async function run(
  world: RunningWorld,
  home: Home,
  machinery: Infrastructure,
  rooms: Rooms,
  clockChanges: ReturnType<typeof followClockChanges>,
): Promise<Service> {
  const { vault, outbound, publicOutbound, live, clockJumps, storage, nodes, jobs, files, converter, documents } =
    machinery
  const { clock, config, log } = world
  const { list, address, accounts, engineHost } = rooms
  const housekeeping = createHousekeeping({
    ...world,
    // Space of removed rows is freed last, followed by the WAL's.
    chores: [
      automaticBackups({
        ...world,
        db: home.db,
        file: databaseIn(config.home),
        // A copy of a damaged database would replace an intact backup.
        isOn: () => config.backups === 'hourly' && storage.integrity().damage === null,
        mayRemoveOld: clockChanges.mayRemoveOld,
      }),
      ...[...list.flatMap(({ chores = [] }) => chores), ...engineHost.chores, jobs.retention, ...files.chores].map(
        (chore) => onlyWhen(clockChanges.mayRemoveOld, chore),
      ),
      compactedFacts(databaseIn(config.home)),
      { name: 'storage', begin: () => home.db.shrink },
      { name: 'log', begin: () => () => home.db.checkpoint().then(() => false) },
    ],
  })
  const account = await accounts.ensureOperatorAccount()
  let isReady = false
  const { door, panel, hasConsole, closeMcp } = openDoor(world, home, machinery, rooms, () => isReady)
  const newConsoleAddress = () =>
    hasConsole
      ? `${localUrlOf(address.url)}/console/#code=${accounts.newSignInCode({ accountId: account.id, role: 'operator' }).open()}`
      : null

  clockJumps.onJump(() => {
    // Idle connections and cached names may belong to another network.
    outbound.reset()
    publicOutbound.reset()
    log.info({ event: 'service.gap' })
  })
  await clockChanges.begin()
  await nodes.register()
  await jobs.recover()
  await files.recover()
  for (const room of list) await room.recover?.()
  await rooms.recoverPeople()
  const commands = createCommands({
    accounts,
    accountId: account.id,
    instances: rooms.instances,
    copies: rooms.service,
    newConsoleAddress,
    facts: () => serviceFacts(rooms.service, home),
  })
  const carryOut: Service['carryOut'] = async (request) => {
    const result = await commands(request)
    if (request.command.startsWith('keys.')) live.publish(account.id, { topic: 'keys' })
    return result
  }
  const control = await openControl(world, carryOut)
  try {
    address.url = `http://${await listen(door, config)}`
  } catch (error) {
    await control.close()
    throw error
  }
  await engineHost.begin()
  clockJumps.start()
  clockChanges.start()
  jobs.start()
  for (const room of list) await room.start?.()
  housekeeping.start()
  storage.start(housekeeping.runSoon)
  isReady = true
  log.info({ event: 'service.started', url: address.url, network: config.network, vault: vault.kind })

  const { close, closeStorage } = createShutdown({
    log,
    home,
    abandon: rooms.abandon,
    steps: {
      requests: async () => {
        isReady = false
        storage.stop()
        await control.close()
      },
      streams: async () => {
        await closeMcp()
        panel.close()
      },
      work: async () => {
        engineHost.drain()
        // In parallel: each may take the whole of DRAIN_MS, and two in a row would be too long. After a disk failure
        // no result can be recorded.
        const drainMs = storage.isReadOnly() ? 0 : DRAIN_MS
        const workers = [jobs.stop(drainMs), ...list.map((room) => room.stop?.(drainMs))]
        // Requests of the desktop window use no socket, so closing the HTTP server does not wait for them.
        await Promise.all([door.close(), ...workers, atMost(clock, DRAIN_MS, panel.bridge.settled())])
      },
      bridge: panel.bridge.close,
      clockJumps: clockJumps.close,
      clockChanges: clockChanges.close,
      housekeeping: housekeeping.close,
      monitor: storage.close,
      live: live.close,
      engines: engineHost.close,
      ...Object.fromEntries(list.toReversed().map(({ name, close }) => [`room ${name}`, () => close?.()])),
      outbound: outbound.close,
      publicOutbound: publicOutbound.close,
      converter: converter.close,
      documents: documents.close,
      vault: vault.close,
    },
  })
  const warnings = [...warningsOf(config, address.url, vaultFacts(vault), clock.now()), ...home.dataLosses()]
  return {
    url: address.url,
    warnings,
    door,
    db: home.db,
    newConsoleAddress,
    publish: (notice) => live.publish(account.id, notice),
    resumed: clockJumps.report,
    unlocked: () => void vault.unlock(),
    onNotice: (listener) =>
      live.feed({ accountId: account.id, isOperator: true }).subscribe(({ notice }) => listener(notice)),
    async askAsConsole(request) {
      const principal = consolePrincipal(await accounts.ensureOperatorAccount(), 'operator')
      return panel.bridge.ask({ principal, prepaid: false }, request)
    },
    carryOut,
    close,
    closeStorage,
  }
}
