import { summaryOf } from '../capabilities/contracts.ts'
import type { ApprovedCalls } from '../capabilities/approvals/index.ts'
import { approvalsRoom } from '../capabilities/approvals/room.ts'
import { accountRoom } from '../capabilities/account/room.ts'
import { agencyRoom } from '../capabilities/agency/room.ts'
import { auditRoom } from '../capabilities/audit/room.ts'
import { billingRoom } from '../capabilities/billing/room.ts'
import { composeRooms, type Composition } from '../capabilities/compose-rooms.ts'
import { crmRoom } from '../capabilities/crm/room.ts'
import { entitlementsRoom } from '../capabilities/entitlements/room.ts'
import { knownInstances } from '../capabilities/instances/index.ts'
import { instancesRoom } from '../capabilities/instances/room.ts'
import { linksRoom } from '../capabilities/links/room.ts'
import { messagesRoom } from '../capabilities/messages/room.ts'
import { ROOMS } from '../capabilities/rooms.ts'
import type { SettingsEditor } from '../capabilities/service/index.ts'
import { serviceRoom } from '../capabilities/service/room.ts'
import { voiceRoom } from '../capabilities/voice/room.ts'
import type { ServiceNotice } from '../contract/service-notice.ts'
import { systemResolve } from '../outbound/outbound.ts'
import { createChatCalls } from './chat-calls.ts'
import { buildEngineHost } from './engines.ts'
import { logNotices, serviceRoomDeps } from './facts.ts'
import { gaugesOf } from './gauges.ts'
import type { Home } from './home.ts'
import type { Infrastructure } from './infrastructure.ts'
import { linkAddressOf, localUrlOf } from './listen.ts'
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
    ...{ baseUrl: () => address.url, localUrl, linkAddress: () => linkAddressOf(config, address.url) },
    ...{ sandboxNetwork: network, graph, cloud: cloud.calling },
    ...engineHost.reports,
    summaryOf,
    attention: (query) => composition.attention(query),
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

  function problems(): ServiceNotice[] {
    return [...storage.problems(), ...composition.problems(), ...logNotices(world.logHealth)]
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
