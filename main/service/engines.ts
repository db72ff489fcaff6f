import type { Engines } from '../capabilities/instances/index.ts'
import type { Config } from '../config.ts'
import type { EngineSink } from '../engines/engine.ts'
import { createReadLineSettings } from '../capabilities/line-settings/index.ts'
import { createOfficial, createOutboundClients } from '../engines/official/index.ts'
import { createGraphSimulator } from '../engines/sandbox/graph/index.ts'
import { createSandboxNetwork } from '../engines/sandbox/index.ts'
import { createSmv2, WHATSAPP_HOSTS } from '../engines/smv2/index.ts'
import type { AccountId } from '../kernel/ids.ts'
import { createOutbound, systemResolve } from '../outbound/outbound.ts'
import { messageOf, type Home } from './home.ts'
import { localUrlOf } from './listen.ts'
import type { Infrastructure } from './infrastructure.ts'
import { StartError, type World } from './world.ts'

/**
 * The engines of the messaging networks, and their simulators.
 * @param sink receives the signals of every engine; not called before `begin`.
 */
export function buildEngineHost(
  world: World,
  home: Home,
  machinery: Infrastructure,
  { sink, address }: { readonly sink: EngineSink; readonly address: { readonly url: string } },
) {
  const { config, resolve = systemResolve } = world
  const deps = { ...world, ...home, ...machinery, resolve }
  const { sandboxTimelineMs: timelineMs, sendTimeoutMs, publicBaseUrl, graphVersion } = config

  // A number of the simulated Meta is not an instance: its signals become callbacks, as Meta would send them.
  const networkSink: EngineSink = (id, signal) => (graph?.owns(id) ? graph.onSignal(id, signal) : sink(id, signal))
  const network = createSandboxNetwork({ ...deps, sink: networkSink, timelineMs, sendTimeoutMs })
  const graph = config.graphBaseUrl === 'sandbox' ? createGraphSimulator({ ...deps, network }) : null
  if (graph !== null) world.onGraph?.(graph)
  const graphBaseUrl = () => graph?.url() ?? config.graphBaseUrl
  const waysOut = createOutboundClients({ ...deps, graphBaseUrl, publicBaseUrl, isSimulated: graph !== null })
  const cloud = createOfficial({
    ...deps,
    ...{ sink: sink, waysOut, graphBaseUrl, graphVersion, publicBaseUrl },
    app: signupAppOf(config),
    localUrl: () => localUrlOf(address.url),
  })
  // A separate guard: URLs in received messages may lead only to WhatsApp's own servers.
  const whatsApp = {
    clock: world.clock,
    resolve,
    dial: world.dial,
    only: () => WHATSAPP_HOSTS,
  }
  const toWhatsApp = createOutbound({ ...whatsApp, trustedRanges: [] })
  const phones = createSmv2({
    ...deps,
    ...{ sink: sink, outbound: toWhatsApp, home: config.home, settings: config },
    // Trusted ranges apply to proxies here. Only WhatsApp is reached through them.
    throughProxy: (proxy) => createOutbound({ ...whatsApp, trustedRanges: config.trustedRanges, proxy }),
    readLineSettings: createReadLineSettings({ db: home.db, seal: machinery.seal }),
  })
  const { smv2, official } = network
  const observe = world.observeEngine ?? ((engine) => engine)
  const engines: Engines = {
    sandbox: { smv2: observe(smv2), official: observe(official) },
    live: { smv2: phones.engine, official: cloud.engine },
  }

  return {
    engines,
    network,
    graph,
    cloud,
    chores: phones.chores,
    /** What rooms ask of an engine without an instance. */
    reports: reportsOf(engines.live.official, network),
    async begin(): Promise<void> {
      // Before the network reports due signals, it must know which numbers belong to the simulated Meta.
      await graph?.begin()
      await network.smv2.begin()
      await network.official.begin()
      try {
        await graph?.listen(config.sandboxGraphPort)
      } catch (error) {
        throw new StartError(
          `The simulated Graph API can't listen: ${messageOf(error)}. Choose another sandbox.graph_port.`,
          { cause: error },
        )
      }
      await cloud.engine.begin()
      await phones.engine.begin()
    },
    drain: phones.drain,
    async close(): Promise<void> {
      await toWhatsApp.close()
      await phones.engine.close()
      await cloud.engine.close()
      await network.smv2.close()
      await network.official.close()
      await graph?.close()
      await waysOut.close()
    },
  }
}

function reportsOf(official: Engines['live']['official'], network: ReturnType<typeof createSandboxNetwork>) {
  return {
    isAnsweredByHand: async (accountId: AccountId, number: string) =>
      (await network.findPhone(accountId, number)).calls === 'manual',
    announcedChanges: async (accountId: AccountId) => (await official?.templates?.announced?.(accountId)) ?? [],
    announcedChangesOfClients: async (accountId: AccountId) =>
      (await official?.templates?.announcedOfClients?.(accountId)) ?? [],
    unusableTemplates: async (accountId: AccountId) => (await official?.templates?.unusable?.(accountId)) ?? [],
    unusableTemplatesOfClients: async (accountId: AccountId) =>
      (await official?.templates?.unusableOfClients?.(accountId)) ?? [],
    ownVersions: (accountId: AccountId) => official?.apiVersion?.ownOf(accountId) ?? [],
  }
}

/** The operator's app at Meta, if everything that Meta's signup needs is configured. */
function signupAppOf({ metaAppId: id, metaAppSecret: secret, metaConfigId: configId }: Config) {
  return id === null || secret === null || configId === null ? null : { id, secret, configId }
}
