import type { Engine as EngineName } from '../../contract/shapes.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { DirectActs } from '../direct.ts'
import type { Engine, EngineInstance, Evidence, QrState } from '../engine.ts'
import type { Faults } from './faults.ts'
import type { Files } from './files.ts'
import type { Inbox } from './inbox.ts'
import { isPaired, type Session, type Sessions } from './sessions.ts'
import type { Links } from './links.ts'
import { networkId } from './network-ids.ts'
import type { Onboarding } from './onboarding.ts'
import type { Pairings } from './pairing.ts'
import { createTemplates, type TemplateStore } from './templates.ts'
import { createConversationalSettings, type ConversationalStore } from './conversational-components.ts'
import { createUsernames, type BusinessUsernameStore } from './usernames.ts'

interface SandboxEngineDeps {
  readonly clock: Clock
  readonly sessions: Sessions
  readonly links: Links
  readonly faults: Faults
  readonly pairings: Pairings
  readonly onboarding: Onboarding
  readonly inbox: Inbox
  readonly files: Files
  readonly templates: TemplateStore
  readonly usernames: BusinessUsernameStore
  readonly conversational: ConversationalStore
  readonly direct: Readonly<Record<EngineName, Partial<DirectActs>>>
  readonly send: Engine['send']
  /** Simulated latency of the network. */
  readonly latencyMs: number
  readonly begin: () => Promise<void>
  readonly close: () => Promise<void>
}

/** One engine of the simulated network. The engines differ only in how a number is connected. */
export function createSandboxEngine(engine: EngineName, deps: SandboxEngineDeps): Engine {
  const { sessions, links, faults, pairings, onboarding, inbox } = deps

  /** Loads everything that the engine answers without waiting. */
  const loaded = async () => {
    await sessions.load()
    await faults.load()
  }

  async function start(instance: EngineInstance): Promise<void> {
    await loaded()
    if (await links.enable(instance.id)) return
    if (engine === 'official') await onboarding.token(instance)
    else if (!pairings.isUnderWay(instance.id)) pairings.begin(instance)
  }

  async function resume({ id }: EngineInstance): Promise<'connected' | 'connecting' | 'no_session'> {
    await loaded()
    const session = sessions.of(id)
    if (!isPaired(session)) return 'no_session'
    if (session.up) return 'connected'
    // Stopped by a user: the session is kept until the next start.
    return session.healsAtMs === null ? 'no_session' : 'connecting'
  }

  function qr({ id }: EngineInstance): QrState {
    const session = sessions.of(id)
    if (!isPaired(session)) return pairings.current(id)
    const state = session.up ? 'connected' : 'pending'
    return { state, text: null, pairingCode: null, expiresAtMs: null, attempt: 0 }
  }

  const pairing: Engine['pairing'] = {
    async current(instance) {
      await loaded()
      return qr(instance)
    },
    async code(instance) {
      await loaded()
      if (!isPaired(sessions.of(instance.id)) && !pairings.isUnderWay(instance.id)) pairings.begin(instance)
      return qr(instance)
    },
    async refresh(instance) {
      await loaded()
      if (isPaired(sessions.of(instance.id))) await links.enable(instance.id)
      else pairings.begin(instance)
      return qr(instance)
    },
    passkey: {
      async respond(instance, { attempt, credential }) {
        pairings.passkeys.respond(instance, attempt, credential)
        return qr(instance)
      },
      async confirm(instance, { attempt, match }) {
        pairings.passkeys.confirm(instance, attempt, match)
        return qr(instance)
      },
    },
  }

  return {
    start,
    resume,
    async stop({ id }) {
      pairings.end(id)
      await links.stop(id)
    },
    async logout({ id }) {
      pairings.end(id)
      await links.leave(id)
    },
    async rehome(tx, id, accountId) {
      await sessions.rehome(tx, id, accountId)
    },
    async wipe({ id }) {
      pairings.end(id)
      await links.wipe(id)
    },
    ...(engine === 'smv2'
      ? { pairing, addsToGroups: true as const }
      : {
          onboarding: { token: onboarding.token, renew: onboarding.renew },
          templates: createTemplates(sessions, deps.templates),
          usernames: createUsernames(sessions, deps.usernames),
          conversational: createConversationalSettings(sessions, deps.conversational),
        }),
    direct: deps.direct[engine],
    media: deps.files.read,
    send: deps.send,
    find: async (instance, messageId) =>
      (await inbox.has(networkId(instance.engine, messageId))) ? 'arrived' : 'never_arrived',
    evidence: (instance) => evidenceOf(deps, instance, sessions.of(instance.id)),
    begin: deps.begin,
    close: deps.close,
  }
}

function evidenceOf(
  { clock, faults, latencyMs }: SandboxEngineDeps,
  instance: EngineInstance,
  session: Session | undefined,
): Evidence {
  const now = clock.now()
  const reachable = !faults.has(instance.id, 'engine_down')
  const isUp = reachable && session?.up === true
  return {
    reachable,
    lastSeenAtMs: isUp ? now : null,
    latencyMs: isUp ? latencyMs : null,
    restriction: restrictionOf(session, now),
    quality: instance.engine === 'official' && isUp ? QUALITY : null,
  }
}

function restrictionOf(session: Session | undefined, nowMs: number): Evidence['restriction'] {
  const { restrictedAtMs: sinceMs = null, restrictedUntilMs: untilMs = null } = session ?? {}
  if (sinceMs === null || untilMs === null || untilMs <= nowMs) return null
  return { kind: 'reachout', sinceMs, untilMs }
}

const QUALITY = { rating: 'GREEN', messagingLimit: 'TIER_250', accountMode: 'SANDBOX' } as const
