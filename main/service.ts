import { join } from 'node:path'
import manifest from '../package.json' with { type: 'json' }
import { consolePrincipal, createAccounts } from './capabilities/account/index.ts'
import { createApprovals } from './capabilities/approvals/index.ts'
import { CONTRACTS } from './capabilities/contracts.ts'
import { createFusion } from './capabilities/fusion/index.ts'
import { served } from './capabilities/handlers.ts'
import { createDirect } from './capabilities/direct/index.ts'
import { createEvents } from './capabilities/events/index.ts'
import { createInstanceWebhooks } from './capabilities/instance-webhook/index.ts'
import {
  createInstances,
  knownInstances,
  qrPicture,
  type Engines,
  type Gauges,
} from './capabilities/instances/index.ts'
import { createMessages } from './capabilities/messages/index.ts'
import { createSandbox } from './capabilities/sandbox/index.ts'
import { createServiceRoom } from './capabilities/service/index.ts'
import { createWebhooks } from './capabilities/webhooks/index.ts'
import type { Config } from './config.ts'
import type { Notice } from './contract/notice.ts'
import { isoTime } from './contract/request.ts'
import type { EngineSink } from './engines/engine.ts'
import { answerMedia, CATCHER_HOST, createCatcher, createSandboxNetwork, MEDIA_HOST } from './engines/sandbox/index.ts'
import { createCommands } from './faces/commands.ts'
import { controlAddress, listenForCommands, type ControlRequest } from './faces/control.ts'
import { createDoor, type Door } from './faces/http.ts'
import { addMcpRoute } from './faces/mcp-route.ts'
import { buildOpenApi, openApiYaml } from './faces/openapi.ts'
import { addPanelRoutes, type Panel } from './faces/panel.ts'
import type { BridgeAnswer, BridgeRequest } from './faces/panel/bridge.ts'
import { createConsoleFiles } from './faces/panel/files.ts'
import { addRawRoutes } from './faces/raw-routes.ts'
import type { Clock } from './kernel/clock.ts'
import type { Db } from './kernel/db.ts'
import { createIdempotency } from './kernel/idempotency.ts'
import { createIds, type Ids, type Random } from './kernel/ids.ts'
import { createLedger, type Ledger } from './kernel/ledger.ts'
import { createLive, type Live } from './kernel/live.ts'
import type { Log } from './kernel/log.ts'
import { createOutbound, systemResolve, type Dial, type Resolve } from './kernel/outbound.ts'
import { createCursors, cursorKey } from './kernel/page.ts'
import { createSeal } from './kernel/seal.ts'
import { HomeInUseError, lockHome } from './storage/lock.ts'
import { MIGRATIONS } from './storage/migrations/index.ts'
import { openStorage, type Storage } from './storage/sqlite.ts'
import { importKeytar, type ImportKeytar } from './vault/keychain.ts'
import { openVault } from './vault/open.ts'
import { VaultError, type Vault } from './vault/vault.ts'

/** All that tests replace; the rest is the product. */
export interface World {
  readonly clock: Clock
  readonly random: Random
  readonly config: Config
  readonly log: Log
  /** Folder of the built window; null or absent: there is none, and the console is only in the desktop app. */
  readonly consoleFolder?: string | null
  readonly resolve?: Resolve
  /** Tests only: reaches a checked public address somewhere else. */
  readonly dial?: Dial
  readonly importKeytar?: ImportKeytar
  /** Tests only: used instead of keychain and file. */
  readonly vault?: Vault
}

/** The service could not start; the message says why and what to do, for the person at the terminal. */
export class StartError extends Error {}

/** Another process owns the home folder: a service, or for a moment a command. */
export class HomeTaken extends StartError {}

export interface Service {
  /** Address it listens on, without a slash at its end. */
  readonly url: string
  /** What the person who starts it should know. */
  readonly warnings: readonly string[]
  readonly door: Door
  readonly db: Db
  /**
   * Where the console opens in a browser, with a code that signs in once; null when this build has no console.
   * Every call makes a new code.
   */
  newConsoleAddress(): string | null
  /** A request of the window inside this process. */
  askAsConsole(request: BridgeRequest): Promise<BridgeAnswer>
  /** Tells every open window that something changed. */
  tell(notice: Notice): void
  carryOut(request: ControlRequest): Promise<unknown>
  /** Finishes what is in flight, writes everything down and gives the home folder free. Idempotent. */
  close(): Promise<void>
}

/** How long requests and deliveries under way may take to finish when the service is told to stop. */
const DRAIN_MS = 5_000

/** Owner of the home folder with its database open: the ground both a service and a command stand on. */
interface Home {
  readonly db: Storage
  readonly ids: Ids
  close(): Promise<void>
}

async function openHome({ clock, random, config, log }: World): Promise<Home> {
  const ids = createIds(clock, random)
  const lock = lockOrSay(config.home)
  try {
    const db = await openStorage({ file: join(config.home, 'switchboard.db'), migrations: MIGRATIONS, ids, clock, log })
    return {
      db,
      ids,
      async close() {
        await db.close()
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw asStartError(error)
  }
}

function lockOrSay(home: string) {
  try {
    return lockHome(home)
  } catch (error) {
    if (error instanceof HomeInUseError) throw new HomeTaken(error.message, { cause: error })
    throw new StartError(`The home folder ${home} cannot be used: ${messageOf(error)}. Choose another one with --home.`)
  }
}

/** What storage and vault refuse with is a sentence for the person at the terminal. */
const asStartError = (error: unknown) => new StartError(messageOf(error), { cause: error })

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Opens the home folder for one command, without engines or network. */
export async function openForCommands(world: World): Promise<Pick<Service, 'carryOut' | 'close'>> {
  const home = await openHome(world)
  const accounts = createAccounts({
    ...world,
    ...home,
    ratePerMinute: world.config.ratePerMinute,
    knownInstances: knownInstances(home.db),
  })
  const account = await accounts.ensureAccount()
  return {
    carryOut: createCommands(accounts, account.id, () => null),
    async close() {
      await accounts.close()
      await home.close()
    },
  }
}

/** Builds every room, recovers what another boot left, listens, and only then sets workers going. */
export async function startService(world: World): Promise<Service> {
  const home = await openHome(world)
  try {
    const machinery = await openMachinery(world, home)
    return await run(world, home, machinery, buildRooms(world, home, machinery))
  } catch (error) {
    await home.close()
    throw error instanceof VaultError ? asStartError(error) : error
  }
}

type Machinery = Awaited<ReturnType<typeof openMachinery>>

/** What every room stands on and none owns. */
async function openMachinery(world: World, { db, ids }: Home) {
  const { clock, random, config } = world
  const vault = await openVault({ ...world, db, importKeytar: world.importKeytar ?? importKeytar })
  return {
    vault,
    seal: createSeal({ masterKey: vault, random }),
    cursors: createCursors(await cursorKey(db, random)),
    ledger: createLedger({ clock, ids }),
    live: createLive<Notice>(clock),
    idempotency: createIdempotency({ clock }),
    outbound: createOutbound({
      clock,
      resolve: world.resolve ?? systemResolve,
      dial: world.dial,
      trustedRanges: config.trustedRanges,
    }),
  }
}

type Rooms = ReturnType<typeof buildRooms>

function buildRooms(world: World, home: Home, machinery: Machinery) {
  const { config } = world
  const { outbound, cursors, ledger, live } = machinery
  const ground = { ...world, ...home, ...machinery }
  const address = { url: '' }

  // Engines report to rooms that are built after them; nothing is reported before `begin`.
  const sink: EngineSink = (id, signal) => report({ instances, messages, live }, id, signal)
  const { sandboxTimelineMs: timelineMs, sendTimeoutMs } = config
  const network = createSandboxNetwork({ ...ground, sink, timelineMs, sendTimeoutMs })
  const { smv2, official } = network
  const engines: Engines = { sandbox: { smv2, official }, live: { smv2: null, official: null } }

  const { ratePerMinute } = config
  const accounts = createAccounts({ ...ground, ratePerMinute, knownInstances: knownInstances(home.db) })
  const approvals = createApprovals({ ...ground, principalOf: accounts.principalOf })
  const webhooks = createWebhooks(ground)
  hearLedger(ledger, live)
  const gauges: Gauges = {
    queue: (id) => messages.gauges(id),
    webhooks: (id) => webhooks.gauges(id),
    lastMessageAtMs: (id) => messages.lastMessageAtMs(id),
  }
  const instances = createInstances({ ...ground, engines, gauges, baseUrl: () => address.url })
  const fusion = createFusion({ ...ground, instances })
  const messages = createMessages({ ...ground, instances, fusion })
  const instanceWebhooks = createInstanceWebhooks({ ...ground, instances })
  const events = createEvents(ground)
  const direct = createDirect({ ...ground, instances, messages })

  const catcher = createCatcher({ ...ground, signingSecrets: webhooks.signingSecrets })
  outbound.answerInside(CATCHER_HOST, async (request) => {
    const answer = await catcher.answer(request)
    live.tell({ topic: 'sandbox' })
    return answer
  })
  outbound.answerInside(MEDIA_HOST, answerMedia)
  const sandbox = createSandbox({ network, catcher, cursors, render: qrPicture, subject: instances.subject })
  const service = createServiceRoom({
    ...ground,
    tallies: {
      instances: instances.tally,
      webhooks: webhooks.tally,
      deliveries: webhooks.deliveriesTally,
      approvals: approvals.tally,
    },
    facts: factsOf(world, home, machinery.vault, address),
    backUp: home.db.backUp,
    passwords: accounts,
  })
  return {
    address,
    cursors,
    accounts,
    approvals,
    instances,
    fusion,
    messages,
    webhooks,
    instanceWebhooks,
    events,
    direct,
    sandbox,
    service,
    network,
  }
}

function openDoor(world: World, { ids }: Home, { live }: Machinery, rooms: Rooms, isReady: () => boolean) {
  const { clock, random, config, log } = world
  const { accounts, instances, network, address } = rooms
  const { version } = manifest
  const { anonymousRatePerMinute, allowedHosts, publicBaseUrl } = config
  // Loaded when it is first asked for: the protocol's library is a tenth of an idle service's memory.
  let mcp: ReturnType<typeof loadMcp> | undefined
  const openMcp = () => (mcp ??= loadMcp())
  const loadMcp = async () => {
    const { createMcp } = await import('./faces/mcp.ts')
    return createMcp({
      contracts: CONTRACTS,
      call: (who, request) => door.call(who, request),
      rehearse: (who, request) => door.rehearse(who, request),
      approvals: rooms.approvals,
      onToolCall: rooms.service.noteToolCall,
      clock,
      random,
      log,
      version,
    })
  }
  const describe = () =>
    openApiYaml(buildOpenApi({ contracts: CONTRACTS, version, baseUrl: publicBaseUrl ?? address.url }))
  let yaml: string | undefined
  const files = createConsoleFiles(world.consoleFolder ?? null)
  let panel: Panel | undefined
  const door = createDoor({
    ...{ clock, ids, log, anonymousRatePerMinute, allowedHosts, publicBaseUrl },
    operations: served(rooms),
    tell: live.tell,
    authenticate: accounts.authenticate,
    findSession: accounts.findSession,
    subject: instances.subject,
    rawRoutes(app, port) {
      addMcpRoute(app, openMcp)
      panel = addPanelRoutes(app, port, { sessions: accounts, files, live, clock, log, version })
      addRawRoutes(app, {
        openApiYaml: () => (yaml ??= describe()),
        isReady,
        onboardingSubject: async (token) => instances.get((await network.onboardingSubject(token)).id),
        completeOnboarding: async (token, number) => {
          await network.completeOnboarding(token, number)
        },
      })
    },
  })
  if (panel === undefined) throw new Error('the door did not add its routes')
  return { door, panel, hasConsole: files.isThere, openMcp, closeMcp: async () => (await mcp)?.close() }
}

async function run(world: World, home: Home, machinery: Machinery, rooms: Rooms): Promise<Service> {
  const { vault, outbound, live } = machinery
  const { config, log } = world
  const { address, accounts, approvals, instances, messages, webhooks, instanceWebhooks, network } = rooms
  const account = await accounts.ensureAccount()
  let isReady = false
  const { door, panel, hasConsole, openMcp, closeMcp } = openDoor(world, home, machinery, rooms, () => isReady)
  const newConsoleAddress = () =>
    hasConsole ? `${reachable(address.url)}/console/#code=${accounts.newSignInCode(account.id).open()}` : null

  await webhooks.recover()
  await instanceWebhooks.recover()
  await messages.recover()
  await instances.resumeAll()
  const commands = createCommands(accounts, account.id, newConsoleAddress)
  const carryOut: Service['carryOut'] = async (request) => {
    const result = await commands(request)
    if (request.command.startsWith('keys.')) live.tell({ topic: 'keys' })
    return result
  }
  const control = await openControl(world, carryOut)
  try {
    address.url = `http://${await listen(door, config)}`
  } catch (error) {
    await control.close()
    throw error
  }
  await network.smv2.begin()
  await network.official.begin()
  await instances.start()
  webhooks.start()
  instanceWebhooks.start()
  messages.start()
  await approvals.start(async (call) => (await openMcp()).carryOut(call))
  isReady = true
  log.info({ event: 'service.started', url: address.url, network: config.network, vault: vault.kind })

  /** From the outside in: nobody new comes, what is under way ends, and the storage closes last. */
  const close = async () => {
    isReady = false
    await control.close()
    await closeMcp()
    panel.close()
    // Side by side: each may take the whole of DRAIN_MS, and a second one would be too long for whoever waits.
    await Promise.all([door.close(), webhooks.stop(DRAIN_MS), instanceWebhooks.stop(DRAIN_MS)])
    panel.bridge.close()
    approvals.close()
    live.close()
    await messages.stop()
    await network.smv2.close()
    await network.official.close()
    instances.close()
    await outbound.close()
    vault.close()
    await accounts.close()
    await home.close()
    log.info({ event: 'service.stopped' })
  }
  let closing: Promise<void> | undefined
  const warnings = warningsOf(config, address.url, vault)
  return {
    url: address.url,
    warnings,
    door,
    db: home.db,
    newConsoleAddress,
    tell: live.tell,
    askAsConsole: async (request) =>
      panel.bridge.ask({ principal: consolePrincipal(await accounts.ensureAccount()), prepaid: false }, request),
    carryOut,
    close: () => (closing ??= close()),
  }
}

/** What a person who looks after the service wants to know of it. */
function factsOf(world: World, { db }: Home, vault: Machinery['vault'], address: { readonly url: string }) {
  const { clock, config } = world
  const startedAt = isoTime(clock.now())
  return () => ({
    version: manifest.version,
    network: config.network,
    address: address.url,
    mcp_address: `${config.publicBaseUrl ?? address.url}/mcp`,
    vault: { kind: vault.kind, state: vault.state(), notice: vault.notice, problem: vault.problem() },
    home: config.home,
    database_bytes: db.bytes(),
    started_at: startedAt,
    warnings: warningsOf(config, address.url, vault),
    limits: {
      slots: config.slots,
      rate_limit_per_minute: config.ratePerMinute,
      anonymous_rate_limit_per_minute: config.anonymousRatePerMinute,
      send_timeout_ms: config.sendTimeoutMs,
      retry_schedule_s: [...config.retryScheduleSeconds],
    },
  })
}

/** What happened on the lines, after the commit that recorded it. */
function hearLedger(ledger: Ledger, live: Live<Notice>): void {
  ledger.hear(async (tx, { type, instanceId }) => {
    tx.afterCommit(() => {
      live.tell({ topic: 'events', type, instance_id: instanceId })
      if (type.startsWith('message.')) live.tell({ topic: 'messages', instance_id: instanceId })
      else live.tell({ topic: 'instances', id: instanceId })
    })
  })
}

/** Listening on every address is no address to open: a browser on this machine asks for this machine. */
const reachable = (url: string): string => url.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:)/, '//127.0.0.1')

/** Signals of the link belong to the instances room, all others to the messages room. */
async function report(
  { instances, messages, live }: Pick<Rooms, 'instances' | 'messages'> & Pick<Machinery, 'live'>,
  ...[id, signal]: Parameters<EngineSink>
): Promise<void> {
  switch (signal.kind) {
    case 'receipt':
    case 'failed':
    case 'received':
    case 'edited':
    case 'deleted':
    case 'reaction':
      return messages.onSignal(id, signal)
    case 'qr':
    case 'qr_expired':
    case 'passkey_required':
    case 'connected':
    case 'link_lost':
    case 'auth_failed':
      await instances.onSignal(id, signal)
      // Not every change of a link is an event: a lost one may heal.
      live.tell({ topic: 'instances', id })
  }
}

async function openControl({ config, log }: World, carryOut: Service['carryOut']) {
  const address = controlAddress(config.home, process.platform)
  try {
    return await listenForCommands({ address, carryOut, log })
  } catch (error) {
    const sentence = `No control socket can be made at ${address}: ${messageOf(error)}. Choose a --home on a local disk.`
    throw new StartError(sentence, { cause: error })
  }
}

/** What listens everywhere has no address of its own; the door refuses these as names, and so may no link carry them. */
const ON_THIS_MACHINE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** @returns `host:port` as it stands in the service's address, under which this machine at least can call it. */
async function listen(door: Door, { host, port }: Config): Promise<string> {
  try {
    const bound = await door.listen(host, port)
    const named = ON_THIS_MACHINE[host] ?? host
    return `${named.includes(':') ? `[${named}]` : named}:${bound}`
  } catch (error) {
    const sentence = LISTEN_FAULTS[(error as NodeJS.ErrnoException).code ?? '']
    throw sentence === undefined ? error : new StartError(sentence(host, port), { cause: error })
  }
}

const unknownHost = (host: string) =>
  `No address is known for the host name ${host}. Correct --host, or leave it out for 127.0.0.1.`

/** Why an address could not be listened on, and what to do. */
const LISTEN_FAULTS: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} on ${host} is taken by another program. Quit that program, or choose another port with --port.`,
  EACCES: (host, port) =>
    `This user may not listen on port ${port} of ${host}. Choose a port from 1024 on with --port.`,
  EADDRNOTAVAIL: (host) =>
    `This machine does not have the address ${host}. Correct --host, or leave it out for 127.0.0.1.`,
  ENOTFOUND: unknownHost,
  EAI_AGAIN: unknownHost,
}

function warningsOf(config: Config, url: string, vault: { notice: string | null; problem(): string | null }): string[] {
  const exposedAt = config.host in ON_THIS_MACHINE ? `port ${new URL(url).port} of all its addresses` : url
  const exposed = config.allowLan
    ? [
        `The API can be reached from other machines, at ${exposedAt} and without encryption. Put a TLS proxy in front of it.`,
      ]
    : []
  return [...exposed, vault.notice, vault.problem()].filter((line) => line !== null)
}
