import { createAccounts } from '../capabilities/account/index.ts'
import { createApprovals } from '../capabilities/approvals/index.ts'
import { createDirect } from '../capabilities/direct/index.ts'
import { createEvents } from '../capabilities/events/index.ts'
import { createFusion } from '../capabilities/fusion/index.ts'
import { createInstanceWebhooks } from '../capabilities/instance-webhook/index.ts'
import { createInstances, knownInstances, qrPicture, type Gauges } from '../capabilities/instances/index.ts'
import { createMessages } from '../capabilities/messages/index.ts'
import { createSandbox } from '../capabilities/sandbox/index.ts'
import { createServiceRoom, type SettingsEditor } from '../capabilities/service/index.ts'
import { createWebhooks } from '../capabilities/webhooks/index.ts'
import { ENGINE_ABILITIES } from '../engines/abilities.ts'
import type { EngineSink } from '../engines/engine.ts'
import { answerMedia, CATCHER_HOST, createCatcher, MEDIA_HOST } from '../engines/sandbox/index.ts'
import { buildEngineHost } from './engines.ts'
import { serviceRoomDeps } from './facts.ts'
import type { Home } from './home.ts'
import type { Infrastructure } from './infrastructure.ts'
import { publishLedger, routeSignal } from './signals.ts'
import type { RunningWorld } from './world.ts'

export type Rooms = ReturnType<typeof buildRooms>

export function buildRooms(world: RunningWorld, home: Home, machinery: Infrastructure, editor: SettingsEditor) {
  const { config } = world
  const { outbound, cursors, ledger, live } = machinery
  const deps = { ...world, ...home, ...machinery }
  const address = { url: '' }

  // Engines report to rooms that are built after them; nothing is reported before `begin`.
  const sink: EngineSink = (id, signal) => routeSignal({ instances, messages, live }, id, signal)
  const engineHost = buildEngineHost(world, home, machinery, { sink, address })
  const { engines, network, graph } = engineHost

  const accounts = createAccounts({
    ...deps,
    get ratePerMinute() {
      return config.ratePerMinute
    },
    knownInstances: knownInstances(home.db),
  })
  const approvals = createApprovals({ ...deps, principalOf: accounts.principalOf })
  const webhooks = createWebhooks(deps)
  publishLedger(ledger, live)
  const gauges: Gauges = {
    queue: (id) => messages.gauges(id),
    webhooks: (id) => webhooks.gauges(id),
    failingOwnCalls: (id) => instanceWebhooks.failing(id),
    lastMessageAtMs: (id) => messages.lastMessageAtMs(id),
  }
  const instances = createInstances({ ...deps, engines, gauges, baseUrl: () => address.url })
  const fusion = createFusion({ ...deps, instances })
  const messages = createMessages({ ...deps, instances, fusion })
  const instanceWebhooks = createInstanceWebhooks({ ...deps, instances })
  const events = createEvents(deps)
  const direct = createDirect({ ...deps, instances, messages })

  const catcher = createCatcher({ ...deps, signingSecrets: webhooks.signingSecrets })
  outbound.addResponder(CATCHER_HOST, async (request) => {
    const answer = await catcher.answer(request)
    live.publish({ topic: 'sandbox' })
    return answer
  })
  outbound.addResponder(MEDIA_HOST, answerMedia)
  const sandbox = createSandbox({ network, graph, catcher, cursors, render: qrPicture, subject: instances.subject })
  const problems = () => [
    ...machinery.storage.problems(),
    ...webhooks.machineProblems(),
    ...[world.logFile.problem()].filter((line) => line !== null),
  ]
  const service = createServiceRoom({
    ...deps,
    tallies: {
      instances: instances.tally,
      webhooks: webhooks.tally,
      deliveries: webhooks.deliveriesTally,
      approvals: approvals.countPending,
      messages: messages.tally,
      deliveriesDueSinceMs: webhooks.deliveriesDueSinceMs,
    },
    worker: webhooks.worker,
    gauges: machinery.storage.gauges,
    ...serviceRoomDeps(world, home, machinery, address, problems),
    account: accounts,
    settings: editor,
    engines: ENGINE_ABILITIES,
    restart: world.restart ?? null,
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
    engineHost,
  }
}
