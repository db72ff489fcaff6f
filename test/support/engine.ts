import type { Departure, Engine, EngineInstance, Evidence, QrState } from '../../main/engines/engine.ts'
import type { InstanceId } from '../../main/kernel/ids.ts'

/** An engine that does what the test says and remembers what it was asked. It never signals by itself. */
export interface ScriptedEngine extends Engine {
  sessions?: NonNullable<Engine['sessions']>
  /** `start 019b…`, in order. */
  readonly calls: string[]
  readonly script: {
    /** Names of calls that fail as an engine out of reach does. */
    failing: Set<string>
    qr: QrState
    evidence: Evidence | Error
    /** What is different of some instances. */
    evidenceOf: Map<InstanceId, Partial<Evidence>>
    /** Links at the next start of the service; default `no_session`. */
    links: Map<InstanceId, 'connected' | 'connecting' | 'no_session'>
    /** Runs before a call answers, for what happens meanwhile. */
    during: ((call: string) => Promise<void>) | null
  }
}

export const NO_CODE: QrState = { state: 'pending', text: null, pairingCode: null, expiresAtMs: null, attempt: 0 }

export const HEALTHY: Evidence = {
  reachable: true,
  lastSeenAtMs: null,
  latencyMs: 40,
  restriction: null,
  quality: null,
}

export function scriptedEngine(kind: 'smv2' | 'official' = 'smv2'): ScriptedEngine {
  const calls: string[] = []
  const script: ScriptedEngine['script'] = {
    failing: new Set(),
    qr: NO_CODE,
    evidence: HEALTHY,
    evidenceOf: new Map(),
    links: new Map(),
    during: null,
  }

  async function called(call: string, { id }: EngineInstance): Promise<void> {
    calls.push(`${call} ${id}`)
    await script.during?.(call)
    if (script.failing.has(call)) throw new Error('connect ECONNREFUSED 10.0.0.1:443')
  }

  const answering =
    <T>(call: string, answer: (instance: EngineInstance) => T) =>
    async (instance: EngineInstance) => {
      await called(call, instance)
      return answer(instance)
    }
  const done = () => {}

  return {
    calls,
    script,
    start: answering('start', done),
    stop: answering('stop', done),
    logout: answering('logout', done),
    wipe: answering('wipe', done),
    resume: answering('resume', ({ id }) => script.links.get(id) ?? 'no_session'),
    ...(kind === 'smv2'
      ? {
          pairing: {
            current: answering('qr', () => script.qr),
            code: answering('code', () => ({ ...script.qr, pairingCode: 'ABCD-1234' })),
            refresh: answering('refresh', () => script.qr),
          },
        }
      : { onboarding: { token: answering('token', ({ id }) => `token-of-${id}`), renew: async () => {} } }),
    send: async () => ({ kind: 'nothing_sent', message: 'not scripted' }),
    find: async () => 'cannot_tell',
    evidence({ id }) {
      if (script.evidence instanceof Error) throw script.evidence
      return { ...script.evidence, ...script.evidenceOf.get(id) }
    },
    begin: async () => {},
    close: async () => {},
  }
}

/** What a sender gives along whose mark nobody reads. */
export const departing = (signal = new AbortController().signal): Departure => ({ signal, leave: async () => {} })
