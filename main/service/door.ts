import manifest from '../../package.json' with { type: 'json' }
import { CONTRACTS } from '../capabilities/contracts.ts'
import { accountSuspended } from '../contract/account-refusals.ts'
import { ApiError } from '../contract/errors.ts'
import { createDoor } from '../faces/http.ts'
import { addMcpRoute } from '../faces/mcp-route.ts'
import { addMetricsRoute } from '../faces/metrics-route.ts'
import { addPanelRoutes, type Panel } from '../faces/panel.ts'
import { createConsoleFiles } from '../faces/panel/files.ts'
import { createOpenBodies } from '../faces/open-bodies.ts'
import { addRawRoutes } from '../faces/raw-routes.ts'
import { createRequestTimes } from '../faces/request-times.ts'
import type { AccountId } from '../kernel/ids.ts'
import { cause } from '../kernel/log.ts'
import { takingTurns } from '../kernel/steps.ts'
import type { Home } from './home.ts'
import type { Infrastructure } from './infrastructure.ts'
import type { Rooms } from './rooms.ts'
import type { RunningWorld } from './world.ts'

const EVERY = CONTRACTS.flatMap(({ room, feature, operations }) =>
  Object.keys(operations).map((id) => ({ id, room, feature })),
)
const FEATURE_OF = new Map(EVERY.map(({ id, feature }) => [id, feature]))
const ROOM_OF = new Map(EVERY.map(({ id, room }) => [id, room]))

export function openDoor(
  world: RunningWorld,
  { ids }: Home,
  { live, apiActivity, writeGate, storage, vault }: Infrastructure,
  rooms: Rooms,
  isReady: () => boolean,
) {
  const { clock, random, config, log } = world
  const { accounts, instances, address } = rooms
  const { network, cloud } = rooms.engineHost
  const { version } = manifest
  const featuresOf = async (accountId: AccountId) => (await rooms.entitlements.of(accountId)).features
  const { allowedHosts, publicBaseUrl, trustedProxies } = config
  // Loaded on first use: the protocol's library takes a tenth of an idle service's memory.
  let mcp: ReturnType<typeof loadMcp> | undefined
  const openMcp = () => (mcp ??= loadMcp())
  const loadMcp = async () => {
    const { createMcp } = await import('../faces/mcp.ts')
    return createMcp({
      contracts: CONTRACTS,
      call: (who, request) => door.call(who, request),
      rehearse: (who, request) => door.rehearse(who, request),
      approvals: rooms.approvals,
      async isKeyUsable(keyId) {
        const principal = await accounts.principalOf(keyId)
        return principal !== undefined && (await featuresOf(principal.accountId)).includes('mcp')
      },
      onToolCall: rooms.service.recordToolCall,
      onClient: rooms.service.recordAssistant,
      clock,
      random,
      log,
      version,
    })
  }
  rooms.mcp.calls = async () => (await openMcp()).approvedCalls
  const describe = async () => {
    // Loaded when somebody reads it: with its YAML library it is a twentieth of the modules of a start.
    const { buildOpenApi, openApiYaml } = await import('../faces/openapi.ts')
    const baseUrl = publicBaseUrl ?? address.url
    const document = await takingTurns(buildOpenApi({ contracts: CONTRACTS, version, baseUrl }))
    return takingTurns(openApiYaml(document))
  }
  // Refused like access links of a suspended account, and allowed again when the account is active.
  const requireOpen = (accountId: AccountId) => {
    if (accounts.isSuspended(accountId)) throw new ApiError('not_found', 'This page is closed at the moment.')
  }
  const viewOfOpen: typeof cloud.onboarding.view = async (token) => {
    const view = await cloud.onboarding.view(token)
    requireOpen(view.accountId)
    return view
  }
  const finishOpenSignup: typeof cloud.onboarding.finishSignup = async (code, state) => {
    if (accounts.isSuspended(await cloud.onboarding.accountOfSignup(state)))
      throw accountSuspended('no number was connected')
    return cloud.onboarding.finishSignup(code, state)
  }
  const openBodies = createOpenBodies()
  accounts.onSessionEnded(openBodies.endOf)
  accounts.onKeyEnded((id) => {
    openBodies.endOf(id)
    void mcp?.then((loaded) => loaded.keyEnded(id))
  })
  const files = createConsoleFiles(world.consoleFolder ?? null)
  let panel: Panel | undefined
  const times = createRequestTimes(clock)
  const door = createDoor({
    ...{ clock, ids, log, writeGate, allowedHosts, publicBaseUrl, trustedProxies },
    anonymousRatePerMinute: () => config.anonymousRatePerMinute,
    operations: rooms.list.flatMap(({ operations }) => operations),
    openBodies,
    async requireAccess(tx, principal, instance) {
      await accounts.requireStanding(tx, principal)
      if (instance !== undefined) await instances.requireInAccount(tx, instance)
    },
    times,
    apiActivity,
    publish: live.publish,
    authenticate: accounts.authenticate,
    findSession: accounts.findSession,
    subject: instances.subject,
    featuresOf,
    featureOf: ({ id }) => FEATURE_OF.get(id),
    isSuspended: accounts.isSuspended,
    isFrozen: async (accountId) => (await rooms.entitlements.of(accountId)).frozen,
    async onDone({ operation }, done) {
      const act = { ...done, operation, room: ROOM_OF.get(operation.id) ?? '' }
      // The operation was executed, so a failure to record it must not look like a failure of the operation.
      await rooms.audit
        .record(act)
        .catch((error: unknown) =>
          log.error({ event: 'audit.not_recorded', operation: operation.id, cause: cause(error) }),
        )
    },
    rawRoutes(app, port) {
      addMcpRoute(app, openMcp, featuresOf)
      addMetricsRoute(app, async ({ accountId }) => {
        const { ofAccount, ofProcess } = rooms.service.metrics
        const own = await ofAccount(accountId)
        // These contain requests of all accounts.
        const isOperators = (await accounts.ensureOperatorAccount()).id === accountId
        return isOperators ? [...ofProcess(), ...own, ...times.families()] : own
      })
      panel = addPanelRoutes(app, port, { sessions: accounts, files, openBodies, live, clock, log, version })
      addRawRoutes(app, {
        openApiYaml: describe,
        isReady,
        problems: () => [
          ...storage.codes(),
          ...(vault.state() === 'sealed' ? ['sealed'] : []),
          ...(world.logHealth.some(({ problem }) => problem() !== null) ? ['log_not_written'] : []),
          ...(rooms.areCallsFailing() ? ['calls_failing'] : []),
        ],
        onboarding: {
          async sandboxSubject(token) {
            const { id, accountId } = await network.onboardingSubject(token)
            requireOpen(accountId)
            return instances.get(id)
          },
          completeInSandbox: async (token, number) => {
            await network.completeOnboarding(token, number)
          },
          live: { ...cloud.onboarding, view: viewOfOpen, finishSignup: finishOpenSignup },
          nameOf: async (id) => (await instances.get(id)).name,
        },
        callbacks: cloud.callbacks,
        passkey: instances.passkeyLinks.page,
        links: { page: rooms.links.page, live, clock },
        payments: {
          stripe: rooms.stripePages,
          takeCallback: rooms.billing.callbacks.take,
          returned: rooms.billing.returned,
        },
        crm: rooms.crm.callbacks,
        ghlPages: rooms.ghl.pages,
        voice: rooms.voicePages,
      })
    },
  })
  if (panel === undefined) throw new Error('the door did not add its routes')
  return { door, panel, hasConsole: files.isThere, closeMcp: async () => (await mcp)?.close() }
}
