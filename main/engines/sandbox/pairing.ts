import type { Clock } from '../../kernel/clock.ts'
import { dueIn, type Due } from '../../kernel/due.ts'
import type { AccountId, InstanceId, Random } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { EngineInstance, EngineSignal, EngineSink, QrState } from '../engine.ts'
import type { Alarms } from '../alarms.ts'
import { crockford, normalizeCrockford } from './network-ids.ts'
import { createPasskeys } from './passkey.ts'

/** Real phones never pair with a text that begins like this, and sandbox phones accept no other. */
export const QR_PREFIX = 'SWITCHBOARD-SANDBOX:'

/** As on the real network: the first code is valid for one minute, five more for 20 seconds each. */
const LIFETIMES_MS = [60_000, 20_000, 20_000, 20_000, 20_000, 20_000] as const

interface Pairing {
  readonly instance: EngineInstance
  readonly state: 'ready' | 'expired' | 'passkey_required'
  readonly text: string | null
  readonly code: string
  readonly attempt: number
  readonly expiresAt: Due | null
}

export type Pairings = ReturnType<typeof createPairings>

/** Unfinished pairings. Held in memory as on the real network: a code from before a restart is worthless. */
export function createPairings(deps: {
  clock: Clock
  random: Random
  alarms: Alarms
  sink: EngineSink
  log: Log
  /** Connects the instance with a number. @returns whether it could. */
  pair: (instance: EngineInstance, number: string) => Promise<boolean>
}) {
  const { clock, random, alarms, sink, log, pair } = deps
  const pairings = new Map<InstanceId, Pairing>()
  const publishing = new Map<InstanceId, Promise<void>>()
  const passkeys = createPasskeys({ clock, random, alarms, publish, pair })

  /** In order for each instance. If a signal is lost, the next code or reading the QR makes up for it. */
  function publish(id: InstanceId, signal: EngineSignal): void {
    const before = publishing.get(id) ?? Promise.resolve()
    const next = before
      .then(() => sink(id, signal))
      .catch((error: unknown) => log.warn({ event: 'sandbox.signal_not_taken', instanceId: id, cause: cause(error) }))
    publishing.set(id, next)
    void next.finally(() => {
      if (publishing.get(id) === next) publishing.delete(id)
    })
  }

  function issue(instance: EngineInstance, attempt: number, code: string): void {
    const { id } = instance
    const expiresAt = dueIn(clock, LIFETIMES_MS[attempt - 1] ?? 0)
    const text = QR_PREFIX + crockford(random.bytes(20))
    pairings.set(id, { instance, state: 'ready', text, code, attempt, expiresAt })
    alarms.set(expiring(id), expiresAt.atMs, () => expire(id))
    publish(id, { kind: 'qr', attempt, expiresAtMs: expiresAt.atMs })
  }

  function expire(id: InstanceId): void {
    const pairing = pairings.get(id)
    if (pairing?.state !== 'ready') return
    if (pairing.attempt < LIFETIMES_MS.length) return issue(pairing.instance, pairing.attempt + 1, pairing.code)
    pairings.set(id, { ...pairing, state: 'expired', text: null, expiresAt: null })
    publish(id, { kind: 'qr_expired' })
  }

  function ready(accountId: AccountId): Pairing[] {
    return [...pairings.values()].filter(({ state, instance }) => state === 'ready' && instance.accountId === accountId)
  }

  return {
    /** Starts a new pairing: first attempt, new code. */
    begin(instance: EngineInstance): void {
      passkeys.end(instance.id)
      issue(instance, 1, crockford(random.bytes(5)))
    },
    isUnderWay: (id: InstanceId): boolean => pairings.get(id)?.state === 'ready',
    current(id: InstanceId): QrState {
      const pairing = pairings.get(id)
      if (pairing === undefined) return PENDING
      const { state, text, code, expiresAt, attempt } = pairing
      const expiresAtMs = expiresAt?.atMs ?? null
      const pairingCode = state === 'ready' ? `${code.slice(0, 4)}-${code.slice(4)}` : null
      const passkey = passkeys.view(id)
      if (state === 'passkey_required' && !passkey) return { ...PENDING, state: 'expired', attempt }
      return { state, text, pairingCode, expiresAtMs, attempt, ...(passkey && { passkey }) }
    },
    passkeys,
    /** The account of this phone asks for a passkey before it links a device. */
    requirePasskey(instance: EngineInstance, number: string): void {
      const { id } = instance
      const pairing = pairings.get(id)
      if (pairing === undefined) return
      alarms.clear(expiring(id))
      pairings.set(id, { ...pairing, state: 'passkey_required', text: null, expiresAt: null })
      passkeys.begin(instance, number)
    },
    end(id: InstanceId): void {
      passkeys.end(id)
      alarms.clear(expiring(id))
      pairings.delete(id)
    },
    /** All texts that instances of the account show now. */
    texts: (accountId: AccountId): string[] => ready(accountId).flatMap(({ text }) => text ?? []),
    byText: (accountId: AccountId, text: string): EngineInstance | undefined =>
      ready(accountId).find((pairing) => pairing.text === text)?.instance,
    byCode: (accountId: AccountId, typed: string): EngineInstance | undefined =>
      ready(accountId).find(({ code }) => code === normalizeCrockford(typed))?.instance,
    /** Resolves when all signals are published. */
    async settled(): Promise<void> {
      await Promise.allSettled([...publishing.values()])
    },
  }
}

const PENDING: QrState = { state: 'pending', text: null, pairingCode: null, expiresAtMs: null, attempt: 0 }

const expiring = (id: InstanceId) => `qr ${id}`
