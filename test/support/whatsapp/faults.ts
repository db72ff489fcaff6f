import { randomBytes } from 'node:crypto'
import type { PasskeyFault, PasskeyStep } from './passkey-faults.ts'
import type { CertificateFault } from './noise.ts'
import type { Bundle } from './signal.ts'

/** What goes wrong with a message on its way to the server. */
export type MessageFault =
  /** The connection is cut before the server takes it. */
  | { readonly kind: 'lost' }
  /** The server takes it and delivers it; the connection is cut before the ack leaves. */
  | { readonly kind: 'cut_before_ack' }
  | { readonly kind: 'cut_after_ack' }
  /** Acknowledged and delivered only so much later. */
  | { readonly kind: 'held'; readonly ms: number }
  /** Refused with this code; nobody gets it. */
  | { readonly kind: 'refused'; readonly code: number }
  /** Acknowledged, and refused with this code so much later; nobody gets it. */
  | { readonly kind: 'refused_late'; readonly code: number; readonly ms: number }

/** What a client meets before a connection stands. */
type ArrivalFault =
  /** The upgrade to a WebSocket is answered with a status, 503 for instance. */
  | { readonly kind: 'status'; readonly status: number }
  /** TCP and TLS stand, and then nothing. */
  | { readonly kind: 'no_upgrade' }
  /** The WebSocket opens, and the server says nothing. */
  | { readonly kind: 'no_hello' }
  | { readonly kind: 'garbage_hello' }
  /** The server's certificates lead to another root than the client trusts. */
  | { readonly kind: 'foreign_root' }
  | CertificateFault

export interface Faults {
  /**
   * The next messages to this number or group go wrong in this way.
   * @param to undefined: whoever they are for.
   */
  onMessage(fault: MessageFault, to?: string, times?: number): void
  /** The next receipts for messages are lost: the connection is cut before the server reads them. */
  onReceipt(times: number): void
  /** Every connection meets this from now on; null: none does. */
  onArrival(fault: ArrivalFault | null): void
  /** The oldest protocol version that is still served: whoever comes with an older one is refused with 405. */
  demandVersion(oldest: number): void
  /**
   * What a client asks in a form that the network's own has given up is refused with 400 from now on. WhatsApp has not
   * said until when it accepts the old forms, and by default neither does this server refuse them.
   */
  demandCurrentForms(): void
  /** A client that has just paired is not told to connect again: its connection stays open and silent. */
  withholdRestart(): void
  /** The next time a client gets to this step of linking with a passkey, it goes wrong. */
  onPasskey(fault: PasskeyFault): void
  /** The next request for a code to type is refused: 400 for a name the server does not like, 429 after too many. */
  onPairingCode(code: 400 | 429): void
  /** Key bundles are handed out with a signature that is not the owner's. */
  forgeBundles(isForged: boolean): void
}

export interface FaultsInside extends Faults {
  readonly arrival: ArrivalFault | null
  readonly oldestVersion: number
  readonly withholdsRestart: boolean
  readonly demandsCurrentForms: boolean
  /**
   * The last digits of a group's id are nobody's choice and mean nothing.
   * @returns what happens to a message to this number or group; one use of the fault is spent.
   */
  messageTo(to: string, of?: { readonly isGroup: boolean }): MessageFault | undefined
  losesReceipt(): boolean
  /** @returns what goes wrong at this step; one use of the fault is spent. */
  atPasskeyStep(step: PasskeyStep): PasskeyFault | undefined
  /** @returns with which error the request is refused, once. */
  pairingCodeRefusal(): number | undefined
  bundle(honest: Bundle): Bundle
}

/** How long the ack of a message to a number ending 0504 is held back: longer than any client waits. */
const HELD_MS = 25_000

/** @param heldMs as above, for tests that wait less. */
export function createFaults(heldMs: number = HELD_MS): FaultsInside {
  const rules: { readonly fault: MessageFault; readonly to: string | undefined; left: number }[] = []
  const passkeyFaults: PasskeyFault[] = []
  const pairingCodeRefusals: number[] = []
  let receipts = 0
  let arrival: ArrivalFault | null = null
  let oldestVersion = 0
  let isForged = false
  let withholdsRestart = false
  let demandsCurrentForms = false

  /** Numbers that misbehave by their last four digits, as on the sandbox network. */
  const byNumber: Readonly<Record<string, MessageFault>> = {
    '0463': { kind: 'refused', code: 463 },
    '0410': { kind: 'refused_late', code: 479, ms: 100 },
    '0504': { kind: 'held', ms: heldMs },
  }
  return {
    onMessage: (fault, to, times = 1) => void rules.push({ fault, to, left: times }),
    onReceipt: (times) => void (receipts = times),
    onArrival: (fault) => void (arrival = fault),
    demandVersion: (oldest) => void (oldestVersion = oldest),
    onPasskey: (fault) => void passkeyFaults.push(fault),
    onPairingCode: (code) => void pairingCodeRefusals.push(code),
    pairingCodeRefusal: () => pairingCodeRefusals.shift(),
    atPasskeyStep(step) {
      const index = passkeyFaults.findIndex(({ at }) => at === step)
      return index === -1 ? undefined : passkeyFaults.splice(index, 1)[0]
    },
    forgeBundles: (next) => void (isForged = next),
    bundle: (honest) =>
      isForged ? { ...honest, signedPreKey: { ...honest.signedPreKey, signature: randomBytes(64) } } : honest,
    get arrival() {
      return arrival
    },
    withholdRestart: () => void (withholdsRestart = true),
    get withholdsRestart() {
      return withholdsRestart
    },
    demandCurrentForms: () => void (demandsCurrentForms = true),
    get demandsCurrentForms() {
      return demandsCurrentForms
    },
    get oldestVersion() {
      return oldestVersion
    },
    messageTo(to, { isGroup } = { isGroup: false }) {
      const rule = rules.find((one) => one.left > 0 && (one.to === undefined || one.to === to))
      if (rule === undefined) return isGroup ? undefined : byNumber[to.slice(-4)]
      rule.left--
      return rule.fault
    },
    losesReceipt() {
      if (receipts === 0) return false
      receipts--
      return true
    },
  }
}

/** Not on the network at all. */
export const isAbsent = (number: string): boolean => number.endsWith('0404')
/** The connection is cut as soon as its devices are asked for. */
export const cutsOnLookup = (number: string): boolean => number.endsWith('0502')
