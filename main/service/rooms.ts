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
import { buildEngines } from './engines.ts'
import { consoleNeeds } from './facts.ts'
import type { Home } from './home.ts'
import type { Machinery } from './machinery.ts'
import { hearLedger, report } from './signals.ts'
import type { RunningWorld } from './world.ts'

export type Rooms = ReturnType<typeof buildRooms>

export function buildRooms(world: RunningWorld, home: Home, machinery: Machinery, desk: SettingsEditor) {
  const { config } = world
  const { outbound, cursors, ledger, live } = machinery
  const ground = { ...world, ...home, ...machinery }
  const address = { url: '' }

  // Engines report to rooms that are built after them; nothing is reported before `begin`.
  const heard: EngineSink = (id, signal) => report({ instances, messages, live }, id, signal)
  const house = buildEngines(world, home, machinery, { heard, address })
  const { engines, network, graph } = house

  const accounts = createAccounts({
    ...ground,
    get ratePerMinute() {
      return config.ratePerMinute
    },
    knownInstances: knownInstances(home.db),
  })
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
  outbound.addResponder(CATCHER_HOST, async (request) => {
    const answer = await catcher.answer(request)
    live.publish({ topic: 'sandbox' })
    return answer
  })
  outbound.addResponder(MEDIA_HOST, answerMedia)
  const sandbox = createSandbox({ network, graph, catcher, cursors, render: qrPicture, subject: instances.subject })
  const troubles = () => [
    ...machinery.storage.problems(),
    ...webhooks.troubles(),
    ...[world.logFile.problem()].filter((line) => line !== null),
  ]
  const service = createServiceRoom({
    ...ground,
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
    ...consoleNeeds(world, home, machinery, address, troubles),
    account: accounts,
    settings: desk,
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
    house,
  }
}
