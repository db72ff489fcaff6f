import { CONTRACTS } from '../capabilities/contracts.ts'
import type { ApprovedCalls } from '../capabilities/approvals/index.ts'
import { approvalsRoom } from '../capabilities/approvals/room.ts'
import { accountRoom } from '../capabilities/account/room.ts'
import { agencyRoom } from '../capabilities/agency/room.ts'
import { auditRoom } from '../capabilities/audit/room.ts'
import { billingRoom } from '../capabilities/billing/room.ts'
import { composeRooms, type Composition, type FindRoom } from '../capabilities/compose-rooms.ts'
import { crmRoom } from '../capabilities/crm/room.ts'
import { entitlementsRoom } from '../capabilities/entitlements/room.ts'
import { instanceWebhookRoom } from '../capabilities/instance-webhook/room.ts'
import { knownInstances, type Gauges } from '../capabilities/instances/index.ts'
import { instancesRoom } from '../capabilities/instances/room.ts'
import { linksRoom } from '../capabilities/links/room.ts'
import { messagesRoom } from '../capabilities/messages/room.ts'
import type { AttentionQuery } from '../capabilities/room.ts'
import { ROOMS } from '../capabilities/rooms.ts'
import type { SettingsEditor } from '../capabilities/service/index.ts'
import { serviceRoom } from '../capabilities/service/room.ts'
import { voiceRoom } from '../capabilities/voice/room.ts'
import { webhooksRoom } from '../capabilities/webhooks/room.ts'
import type { ServiceNotice } from '../contract/service-notice.ts'
import { systemResolve } from '../outbound/outbound.ts'
import { createChatCalls } from './chat-calls.ts'
import { buildEngineHost } from './engines.ts'
import { serviceRoomDeps } from './facts.ts'
import type { Home } from './home.ts'
import type { Infrastructure } from './infrastructure.ts'
import { localUrlOf } from './listen.ts'
import { createPersonMoves } from './person-moves.ts'
import { publishLedger, routeSignal } from './signals.ts'
import { buildSimulators } from './simulators.ts'
import { voiceServices } from './voice.ts'
import type { RunningWorld } from './world.ts'

export type Rooms = ReturnType<typeof buildRooms>

/**
 * Passes the shared infrastructure to the rooms, and builds them. A new room is a folder and a line in
 * capabilities/rooms.ts.
 */
export function buildRooms(world: RunningWorld, home: Home, machinery: Infrastructure, editor: SettingsEditor) {
  const { config } = world
  const { ledger, live, storage } = machinery
  const address = { url: '' }
  const localUrl = () => localUrlOf(address.url)
  // Built after the rooms, because its tools are their operations.
  const mcp: { calls: () => Promise<ApprovedCalls> } = {
    calls: () => Promise.reject(new Error('MCP is not built yet.')),
  }
  // Engines report to rooms that are built later; nothing is reported before `begin`.
  const engineHost = buildEngineHost(world, home, machinery, {
    sink: (id, signal) => routeSignal({ find, movePerson: personMoves.learn, live }, id, signal),
    address,
  })
  const { network, graph, cloud } = engineHost
  const simulators = buildSimulators(world, home, machinery, localUrl)

  const voice = voiceServices(world, home, () => live.publish(null, { topic: 'service' }))
  const composition: Composition = composeRooms(ROOMS, (built) => ({
    ...{ ...world, ...home, ...machinery, ...simulators },
    ...voice,
    resolve: world.resolve ?? systemResolve,
    engines: engineHost.engines,
    gauges: gaugesOf(built),
    agentCalls: createChatCalls(built),
    knownInstances: knownInstances(home.db),
    approvedCalls: {
      describe: async (call) => (await mcp.calls()).describe(call),
      execute: async (call) => (await mcp.calls()).execute(call),
    },
    freeBytes: storage.freeBytes,
    wasOffMs: machinery.nodes.offMs,
    ...{ baseUrl: () => address.url, localUrl, linkAddress },
    ...{ sandboxNetwork: network, graph, cloud: cloud.calling },
    isAnsweredByHand: async (accountId, number) => (await network.findPhone(accountId, number)).calls === 'manual',
    announcedChanges: async (accountId) =>
      (await engineHost.engines.live.official?.templates?.announced?.(accountId)) ?? [],
    announcedChangesOfClients: async (accountId) =>
      (await engineHost.engines.live.official?.templates?.announcedOfClients?.(accountId)) ?? [],
    unusableTemplates: async (accountId) =>
      (await engineHost.engines.live.official?.templates?.unusable?.(accountId)) ?? [],
    unusableTemplatesOfClients: async (accountId) =>
      (await engineHost.engines.live.official?.templates?.unusableOfClients?.(accountId)) ?? [],
    ownVersions: (accountId) => engineHost.engines.live.official?.apiVersion?.ownOf(accountId) ?? [],
    summaryOf: (id) => SUMMARIES.get(id) ?? id,
    attention: attentionOfRooms,
    machine: {
      ...{ ...world, ...home, ...machinery },
      ...serviceRoomDeps(world, home, machinery, address, problems),
      ...{ gauges: storage.gauges, notedCallbacks: cloud.notedCallbacks },
      ...{ settings: editor, restart: world.restart ?? null },
    },
  }))
  const { rooms, find } = composition
  publishLedger(ledger, live)
  const personMoves = createPersonMoves({
    ...{ db: home.db, instances: find(instancesRoom), messages: find(messagesRoom) },
    rooms: rooms.flatMap(({ movePerson = [] }) => movePerson),
  })

  /** The base URL of links for other people. */
  function linkAddress() {
    const { publicBaseUrl } = config
    if (publicBaseUrl !== null) return { url: publicBaseUrl, reachable: 'everywhere' } as const
    return { url: address.url, reachable: config.allowLan ? 'network' : 'computer' } as const
  }

  function problems(): ServiceNotice[] {
    return [
      ...storage.problems(),
      ...rooms.flatMap((room) => room.problems?.() ?? []),
      ...world.logHealth.flatMap(({ problem }) => {
        const text = problem()
        return text === null ? [] : [{ code: 'log_not_written', text } as const]
      }),
    ]
  }

  async function attentionOfRooms(query: AttentionQuery) {
    const lines = rooms.map(async ({ name, attention }) =>
      ((await attention?.(query)) ?? []).map((line) => ({ ...line, room: name })),
    )
    return (await Promise.all(lines)).flat()
  }

  const billing = find(billingRoom)
  return {
    ...{ list: rooms, address, mcp, engineHost, billing },
    accounts: find(accountRoom),
    approvals: find(approvalsRoom),
    entitlements: find(entitlementsRoom),
    links: find(linksRoom),
    audit: find(auditRoom),
    agency: find(agencyRoom),
    crm: find(crmRoom),
    instances: find(instancesRoom),
    service: find(serviceRoom),
    ghl: simulators.ghl,
    stripePages: simulators.stripe.pages,
    voicePages: find(voiceRoom).pages,
    recoverPeople: personMoves.recover,
    /** Ends child processes that would outlive this process. */
    abandon: voice.process.abandon,
    areCallsFailing: () => problems().some(({ code }) => code === 'calls_failing'),
  }
}

/** One-line summaries of all operations. */
const SUMMARIES = new Map(
  CONTRACTS.flatMap(({ operations }) => Object.values(operations)).map(({ id, summary }) => [id, summary]),
)

/** Values in an instance's record that come from rooms built later. */
const gaugesOf = (built: FindRoom): Gauges => ({
  queue: (id) => built(messagesRoom).gauges(id),
  webhooks: (id) => built(webhooksRoom).gauges(id),
  failingOwnCalls: (id) => built(instanceWebhookRoom).failing(id),
  lastMessageAtMs: (id) => built(messagesRoom).lastMessageAtMs(id),
})
