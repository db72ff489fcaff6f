import { randomBytes } from 'node:crypto'
import type { PasskeyFault, PasskeyStep } from './passkey-faults.ts'
import type { CertificateFault } from './noise.ts'
import type { Bundle } from './signal.ts'

/** Faults of a message on its way to the server. */
export type MessageFault =
  /** The connection is cut before the server gets the message. */
  | { readonly kind: 'lost' }
  /** The server delivers the message; the connection is cut before the ack is sent. */
  | { readonly kind: 'cut_before_ack' }
  | { readonly kind: 'cut_after_ack' }
  /** Acknowledged and delivered only after this time. */
  | { readonly kind: 'held'; readonly ms: number }
  /** Refused with this code; nobody receives it. */
  | { readonly kind: 'refused'; readonly code: number }
  /** Acknowledged, and refused with this code after this time; nobody receives it. */
  | { readonly kind: 'refused_late'; readonly code: number; readonly ms: number }

/** Faults before a connection is established. */
type ArrivalFault =
  /** The server answers the WebSocket upgrade with a status, such as 503. */
  | { readonly kind: 'status'; readonly status: number }
  /** TCP and TLS connect, and then nothing happens. */
  | { readonly kind: 'no_upgrade' }
  /** The WebSocket opens, and the server sends nothing. */
  | { readonly kind: 'no_hello' }
  | { readonly kind: 'garbage_hello' }
  /** The server's certificates have another root than the one that the client trusts. */
  | { readonly kind: 'foreign_root' }
  | CertificateFault

export interface Faults {
  /**
   * The next messages to this number or group have this fault.
   * @param to undefined applies to all recipients.
   */
  onMessage(fault: MessageFault, to?: string, times?: number): void
  /** The next receipts are lost: the connection is cut before the server reads them. */
  onReceipt(times: number): void
  /** Every connection has this fault from now on; null ends it. */
  onArrival(fault: ArrivalFault | null): void
  /** Sets the oldest supported protocol version. Clients with older versions are refused with 405. */
  demandVersion(oldest: number): void
  /**
   * Refuses queries in outdated forms, which the network's own client no longer uses, with 400. WhatsApp has not
   * announced how long it accepts these forms, so by default this server accepts them.
   */
  demandCurrentForms(): void
  /** A client that has just been paired is not told to reconnect: its connection stays open and silent. */
  withholdRestart(): void
  /** Sets a fault for the next time a client reaches this step of linking with a passkey. */
  onPasskey(fault: PasskeyFault): void
  /**
   * Refuses the next request for a pairing code: 400 for a client name that the server does not accept, 429 after too
   * many requests.
   */
  onPairingCode(code: 400 | 429): void
  /** Returns key bundles with a signature that is not the owner's. */
  forgeBundles(isForged: boolean): void
}

export interface FaultsInside extends Faults {
  readonly arrival: ArrivalFault | null
  readonly oldestVersion: number
  readonly withholdsRestart: boolean
  readonly demandsCurrentForms: boolean
  /**
   * The last digits of a group's id are random and have no meaning.
   * @returns the fault for a message to this number or group. The fault counts as used once.
   */
  messageTo(to: string, of?: { readonly isGroup: boolean }): MessageFault | undefined
  losesReceipt(): boolean
  /** @returns the fault at this step. The fault counts as used once. */
  atPasskeyStep(step: PasskeyStep): PasskeyFault | undefined
  /** @returns the error code with which the request is refused, once. */
  pairingCodeRefusal(): number | undefined
  bundle(honest: Bundle): Bundle
}

/** How long the ack of a message to a number that ends in 0504 is delayed: longer than any client waits. */
const HELD_MS = 25_000

/** @param heldMs a shorter delay than the default, for tests. */
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

  /** Numbers with faults, by their last four digits, as in the sandbox network. */
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

/** Whether this number has no account. */
export const isAbsent = (number: string): boolean => number.endsWith('0404')
/** Whether the connection is cut when the devices of this number are requested. */
export const cutsOnLookup = (number: string): boolean => number.endsWith('0502')
