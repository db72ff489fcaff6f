import type { ServiceNotice } from '../contract/service-notice.ts'
import { accountRoom } from '../capabilities/account/room.ts'
import { aiRoom } from '../capabilities/ai/room.ts'
import { aiEvaluationsRoom } from '../capabilities/ai-evaluations/room.ts'
import { aiKnowledgeRoom } from '../capabilities/ai-knowledge/room.ts'
import { aiProvidersRoom } from '../capabilities/ai-providers/room.ts'
import { agencyRoom } from '../capabilities/agency/room.ts'
import { auditRoom } from '../capabilities/audit/room.ts'
import { CONTRACTS } from '../capabilities/contracts.ts'
import { billingRoom } from '../capabilities/billing/room.ts'
import { callsRoom } from '../capabilities/calls/room.ts'
import { campaignsRoom } from '../capabilities/campaigns/room.ts'
import { costsRoom } from '../capabilities/costs/room.ts'
import { crmRoom } from '../capabilities/crm/room.ts'
import type { ApprovedCalls } from '../capabilities/approvals/index.ts'
import { approvalsRoom } from '../capabilities/approvals/room.ts'
import { directRoom } from '../capabilities/direct/room.ts'
import { createRefusals } from '../capabilities/entitlements/refusal.ts'
import { entitlementsRoom } from '../capabilities/entitlements/room.ts'
import { eventsRoom } from '../capabilities/events/room.ts'
import { fusionRoom } from '../capabilities/fusion/room.ts'
import { numberChecksRoom } from '../capabilities/number-checks/room.ts'
import { historyRoom } from '../capabilities/history/room.ts'
import { instanceWebhookRoom } from '../capabilities/instance-webhook/room.ts'
import { knownInstances, qrPicture, type Gauges } from '../capabilities/instances/index.ts'
import { instancesRoom } from '../capabilities/instances/room.ts'
import { lineSettingsRoom } from '../capabilities/line-settings/room.ts'
import { linksRoom } from '../capabilities/links/room.ts'
import { membersRoom } from '../capabilities/members/room.ts'
import { messagesRoom } from '../capabilities/messages/room.ts'
import { contactsRoom } from '../capabilities/contacts/room.ts'
import { optOutsRoom } from '../capabilities/opt-outs/room.ts'
import { sandboxRoom } from '../capabilities/sandbox/room.ts'
import { overviewRoom } from '../capabilities/overview/room.ts'
import type { Room } from '../capabilities/room.ts'
import { createGroupAdditions } from '../capabilities/group-additions.ts'
import { safetyRoom } from '../capabilities/safety/room.ts'
import type { SettingsEditor } from '../capabilities/service/index.ts'
import { serviceRoom } from '../capabilities/service/room.ts'
import { blocksRoom } from '../capabilities/blocks/room.ts'
import { groupsRoom } from '../capabilities/groups/room.ts'
import { templatesRoom } from '../capabilities/templates/room.ts'
import { usageRoom } from '../capabilities/usage/room.ts'
import { voiceRoom } from '../capabilities/voice/room.ts'
import { webhooksRoom } from '../capabilities/webhooks/room.ts'
import { ENGINE_ABILITIES } from '../engines/abilities.ts'
import type { EngineSink } from '../engines/engine.ts'
import { createStripeSimulator } from '../simulators/stripe/index.ts'
import type { AccountId, KeyId } from '../kernel/ids.ts'
import { systemResolve } from '../outbound/outbound.ts'
import { localUrlOf } from './listen.ts'
import { answerMedia, CATCHER_HOST, createCatcher, MEDIA_HOST } from '../engines/sandbox/index.ts'
import { createModelSimulator, type ModelSimulator } from '../simulators/model/index.ts'
import { buildEngineHost } from './engines.ts'
import { serviceRoomDeps } from './facts.ts'
import { messageOf, type Home } from './home.ts'
import type { Infrastructure } from './infrastructure.ts'
import { buildGhlSimulator } from './simulators.ts'
import { createPersonMoves } from './person-moves.ts'
import { publishLedger, routeSignal } from './signals.ts'
import { StartError, type RunningWorld } from './world.ts'
import { voiceServices } from './voice.ts'
import { createChatCalls } from './chat-calls.ts'
import { createVoiceAgents } from './voice-agents.ts'
import { tellCrm } from './voice-crm.ts'

export type Rooms = ReturnType<typeof buildRooms>

/**
 * Builds every room with what it needs of the others. A new room is built here and added to the list; what it adds to
 * the running service it says itself, in its room.ts.
 */
export function buildRooms(world: RunningWorld, home: Home, machinery: Infrastructure, editor: SettingsEditor) {
  const { config } = world
  const { outbound, cursors, ledger, live } = machinery
  const deps = { ...world, ...home, ...machinery }
  const address = { url: '' }
  // Built after the rooms, because its tools are their operations.
  const mcp: { calls: () => Promise<ApprovedCalls> } = {
    calls: () => Promise.reject(new Error('MCP is not built yet.')),
  }

  // Engines report to rooms that are built after them; nothing is reported before `begin`.
  const sink: EngineSink = (id, signal) =>
    routeSignal(
      {
        instances: instances.api,
        messages: messages.api,
        instanceWebhooks: instanceWebhooks.api,
        calls: calls.api,
        optOuts: optOuts.api,
        contacts: contacts.api,
        campaigns: campaigns.api,
        ai: ai.api,
        movePerson: (...learned) => personMoves.learn(...learned),
        live,
      },
      id,
      signal,
    )
  const engineHost = buildEngineHost(world, home, machinery, { sink, address })
  const { engines, network, graph } = engineHost

  const account = accountRoom({
    ...deps,
    get ratePerMinute() {
      return config.ratePerMinute
    },
    knownInstances: knownInstances(home.db),
    get timeZone() {
      return config.safetyTimezone
    },
  })
  const accounts = account.api
  const approvals = approvalsRoom({
    ...deps,
    principalOf: accounts.principalOf,
    approvedCalls: {
      describe: async (call) => (await mcp.calls()).describe(call),
      execute: async (call) => (await mcp.calls()).execute(call),
    },
  })
  const webhooks = webhooksRoom(deps)
  publishLedger(ledger, live)
  const gauges: Gauges = {
    queue: (id) => messages.api.gauges(id),
    webhooks: (id) => webhooks.api.gauges(id),
    failingOwnCalls: (id) => instanceWebhooks.api.failing(id),
    lastMessageAtMs: (id) => messages.api.lastMessageAtMs(id),
  }
  const usage = usageRoom({ ...deps, timeZoneOf: accounts.timeZoneOf })
  const entitlements = entitlementsRoom({ ...deps, isSuspended: accounts.isSuspended })
  const { refusalOf, onRefusalChanged } = createRefusals(accounts, entitlements.api)
  const instances = instancesRoom({
    ...deps,
    entitlements: entitlements.api,
    engines,
    gauges,
    baseUrl: () => address.url,
    isSuspended: accounts.isSuspended,
  })
  const fusion = fusionRoom({ ...deps, instances: instances.api })
  const safety = safetyRoom({ ...deps, instances: instances.api })
  const costs = costsRoom({
    ...deps,
    // Agencies are built after this one.
    family: (accountId, only) => agency.api.family(accountId, only),
  })
  const messages = messagesRoom({
    ...deps,
    prices: costs.api,
    instances: instances.api,
    fusion: fusion.api,
    safety: safety.api,
    usage: usage.api,
    isSuspended: accounts.isSuspended,
    entitlements: entitlements.api,
    freeBytes: machinery.storage.freeBytes,
    consentOf: (...chats) => optOuts.api.consentOf(...chats),
  })
  const instanceWebhooks = instanceWebhookRoom({ ...deps, instances: instances.api })
  const calls = callsRoom({ ...deps, instances: instances.api, messages: messages.api, refusalOf })
  const optOuts = optOutsRoom({ ...deps, instances: instances.api })
  const contacts = contactsRoom({ ...deps, instances: instances.api, optOuts: optOuts.api })
  const campaigns = campaignsRoom({
    ...deps,
    costs: costs.api,
    instances: instances.api,
    messages: messages.api,
    safety: safety.api,
    optOuts: optOuts.api,
    contacts: contacts.api,
    wasOffMs: machinery.nodes.offMs,
    isSuspended: accounts.isSuspended,
    refusalOf,
  })
  const { resolve = systemResolve } = world
  const model = createModelSimulator(deps)
  const aiProviders = aiProvidersRoom({ ...deps, resolve, instances: instances.api, modelSimulator: model })
  const aiKnowledge = aiKnowledgeRoom({ ...deps, instances: instances.api, providers: aiProviders.api })
  const ai = aiRoom({
    ...deps,
    instances: instances.api,
    messages: messages.api,
    fusion: fusion.api,
    safety: safety.api,
    optOuts: optOuts.api,
    providers: aiProviders.api,
    knowledge: aiKnowledge.api,
    usage: usage.api,
    refusalOf,
    // Calls are made by agents, and agents schedule calls: voice is built after this one.
    calls: createChatCalls({
      ...{ voice: () => voice.api, instances: instances.api, entitlements: entitlements.api },
    }),
  })
  const aiEvaluations = aiEvaluationsRoom({ ...deps, instances: instances.api, ai: ai.api })
  const ghl = buildGhlSimulator(world, home, machinery, address)
  const crm = crmRoom({
    ...deps,
    resolve: world.resolve ?? systemResolve,
    instances: instances.api,
    messages: messages.api,
    optOuts: optOuts.api,
    contacts: contacts.api,
    simulator: ghl,
    isSuspended: accounts.isSuspended,
    localUrl: () => localUrlOf(address.url),
  })
  const lineSettings = lineSettingsRoom({ ...deps, instances: instances.api })
  const history = historyRoom({ ...deps, instances: instances.api, messages: messages.api })
  const numberChecks = numberChecksRoom({ ...deps, instances: instances.api, safety: safety.api })
  const voice = voiceRoom({
    ...deps,
    ...voiceServices(world, home, () => live.publish(null, { topic: 'service' })),
    instances: instances.api,
    agents:
      world.voiceAgents ??
      createVoiceAgents({ ...deps, ai: ai.api, knowledge: aiKnowledge.api, instances: instances.api }),
    sessions: accounts,
    packages: async (accountId) => (await entitlements.api.of(accountId)).voicePackages,
    isSuspended: accounts.isSuspended,
    ...{ refusalOf, onRefusalChanged },
    usage: usage.api,
    timeZoneOf: accounts.timeZoneOf,
    personName: contacts.api.nameOf,
    isAnsweredByHand: async (accountId, number) => (await network.findPhone(accountId, number)).calls === 'manual',
    cloud: engineHost.cloud.calling,
    baseUrl: () => address.url,
    onEnded: (tx, call) => tellCrm(crm.api, tx, call, config.publicBaseUrl ?? localUrlOf(address.url)),
  })
  const personMoves = createPersonMoves({
    ...{ db: home.db, instances: instances.api, messages: messages.api },
    rooms: [optOuts, contacts, safety, campaigns, ai, aiKnowledge, crm, voice].map(({ api }) => api.movePerson),
  })
  const events = eventsRoom(deps)
  const reserveAdditions = createGroupAdditions({ ...deps, safety: safety.api })
  const direct = directRoom({ ...deps, instances: instances.api, messages: messages.api, reserveAdditions })
  const blocks = blocksRoom({ ...deps, instances: instances.api })
  const groups = groupsRoom({ ...deps, instances: instances.api, reserveAdditions })
  const templates = templatesRoom({ ...deps, instances: instances.api, messages: messages.api })

  /** Where links that are handed out lead. */
  const linkAddress = () => {
    const { publicBaseUrl } = config
    if (publicBaseUrl !== null) return { url: publicBaseUrl, reachable: 'everywhere' } as const
    return { url: address.url, reachable: config.allowLan ? 'network' : 'computer' } as const
  }
  const members = membersRoom({
    ...{ ...deps, accounts, address: linkAddress },
    // Links are built after this one.
    linksCreatedBy: (creator) => links.api.createdBy(creator),
    crmSecretsOf: crm.api.secretsOf,
  })
  const agency = agencyRoom({
    ...{ ...deps, accounts, entitlements: entitlements.api, usage: usage.api, instances: instances.api },
    onActivated: webhooks.api.lookAgain,
    async removeWebhooks(accountId) {
      for (const { id } of (await webhooks.api.list(accountId)).data) await webhooks.api.remove(accountId, id)
    },
    // Billing is built after this one.
    onDeleted: [
      members.api.accountDeleted,
      costs.api.budgets.accountDeleted,
      (tx, accountId) => billing.api.clients.accountDeleted(tx, accountId),
    ],
  })
  const isFrozen = async (accountId: AccountId) => (await entitlements.api.of(accountId)).frozen
  const links = linksRoom({
    ...{ ...deps, instances: instances.api, isSuspended: accounts.isSuspended, isFrozen },
    ...{ brandOf: agency.api.brandOf, address: linkAddress },
  })
  accounts.whenAccessEnds(async (tx, { who, accountId, endsLinks }) => {
    if (who.startsWith('key:')) await approvals.api.keyRevoked(tx, who.slice('key:'.length) as KeyId)
    if (!endsLinks) return
    await links.api.revokeCreatedBy(tx, accountId, who)
    await instances.api.endSeenLinks(tx, { accountId, who, opened: await links.api.instancesOf(tx, who) })
    await crm.api.endCreatedBy(tx, who)
    await voice.api.endLinksOf(tx, accountId)
    await ghl.endPages(tx, accountId)
  })
  const summaries = new Map(
    CONTRACTS.flatMap(({ operations }) => Object.values(operations)).map(({ id, summary }) => [id, summary]),
  )
  const audit = auditRoom({ ...deps, summaryOf: (id) => summaries.get(id) ?? id })
  const localUrl = () => localUrlOf(address.url)
  const simulatedStripe = createStripeSimulator({
    ...deps,
    localUrl,
    resolve: world.resolve ?? systemResolve,
    pagesUrl: () => `${config.publicBaseUrl ?? localUrl()}/sandbox/stripe`,
  })
  const billing = billingRoom({
    ...deps,
    ...{ usage: usage.api, costs: costs.api, entitlements: entitlements.api, simulator: simulatedStripe },
    resolve: world.resolve ?? systemResolve,
    publicBaseUrl: config.publicBaseUrl,
    localUrl,
  })

  const catcher = createCatcher({ ...deps, signingSecrets: webhooks.api.signingSecrets })
  outbound.addResponder(CATCHER_HOST, async (request) => {
    const answer = await catcher.answer(request)
    live.publish(request.accountId, { topic: 'sandbox' })
    return answer
  })
  outbound.addResponder(MEDIA_HOST, (request) => answerMedia(request, network.picture))
  const { subject } = instances.api
  const sandbox = sandboxRoom({
    ...{ network, graph, catcher, model, cursors, render: qrPicture, subject, ring: voice.api.ringFromPhone },
    phoneSide: voice.api.phoneSide,
    listen: () => listenOn(model, config.sandboxModelPort),
  })
  const problems = (): ServiceNotice[] => [
    ...machinery.storage.problems(),
    ...list.flatMap((room) => room.problems?.() ?? []),
    ...world.logHealth.flatMap(({ problem }) => {
      const text = problem()
      return text === null ? [] : [{ code: 'log_not_written', text } as const]
    }),
  ]
  const service = serviceRoom({
    ...deps,
    tallies: {
      instances: instances.api.tally,
      webhooks: webhooks.api.tally,
      deliveries: webhooks.api.deliveriesTally,
      approvals: approvals.api.countPending,
      messages: messages.api.tally,
      deliveriesDueSinceMs: webhooks.api.deliveriesDueSinceMs,
    },
    worker: webhooks.api.worker,
    gauges: machinery.storage.gauges,
    ...serviceRoomDeps(world, home, machinery, address, problems),
    notedCallbacks: engineHost.cloud.notedCallbacks,
    account: accounts,
    settings: editor,
    engines: ENGINE_ABILITIES,
    restart: world.restart ?? null,
  })
  const overview = overviewRoom({
    ...deps,
    async attention(query) {
      const lines = list.map(async ({ name, attention }) =>
        ((await attention?.(query)) ?? []).map((line) => ({ ...line, room: name })),
      )
      return (await Promise.all(lines)).flat()
    },
    setup: async (accountId) => ({
      number: await instances.api.hasPaired(accountId),
      webhook: (await webhooks.api.tally(accountId)).total > 0,
      key: (await accounts.listKeys(accountId)).length > 0,
      assistant: service.api.assistants(accountId).length > 0,
    }),
  })
  const list: readonly Room[] = [
    account,
    entitlements,
    usage,
    costs,
    approvals,
    webhooks,
    instanceWebhooks,
    messages,
    instances,
    fusion,
    safety,
    events,
    direct,
    blocks,
    groups,
    templates,
    calls,
    optOuts,
    contacts,
    campaigns,
    aiProviders,
    aiKnowledge,
    ai,
    aiEvaluations,
    agency,
    links,
    members,
    audit,
    crm,
    lineSettings,
    history,
    numberChecks,
    billing,
    voice,
    sandbox,
    service,
    overview,
  ]
  return {
    ...{ list, address, mcp, engineHost, accounts },
    approvals: approvals.api,
    entitlements: entitlements.api,
    links: links.api,
    audit: audit.api,
    agency: agency.api,
    crm: crm.api,
    ghl,
    instances: instances.api,
    service: service.api,
    billing: billing.api,
    stripePages: simulatedStripe.pages,
    voicePages: voice.api.pages,
    recoverPeople: personMoves.recover,
    areCallsFailing: () => (voice.problems?.() ?? []).length > 0,
  }
}

async function listenOn(model: ModelSimulator, port: number): Promise<void> {
  try {
    await model.listen(port)
  } catch (error) {
    throw new StartError(`The sandbox model can't listen: ${messageOf(error)}. Choose another sandbox.model_port.`, {
      cause: error,
    })
  }
}
