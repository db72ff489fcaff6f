import type { WhatsApp } from '../whatsapp/index.ts'

type FaultsFace = WhatsApp['faults']
export type MessageFault = Parameters<FaultsFace['onMessage']>[0]
type ArrivalFault = NonNullable<Parameters<FaultsFace['onArrival']>[0]>
export type PasskeyFault = Parameters<FaultsFace['onPasskey']>[0]

/** The active faults, and how many times each will still happen. */
export interface Faults extends FaultsFace {
  readonly arrival: ArrivalFault | null
  readonly oldestVersion: number
  readonly withholdsRestart: boolean
  readonly forgesBundles: boolean
  readonly demandsCurrentForms: boolean
  /** @returns the fault for a message to this number or group. The fault counts as used. */
  takeMessage(to: string): MessageFault | undefined
  takeReceipt(): boolean
  takePasskey(at: PasskeyFault['at']): PasskeyFault | undefined
  takePairingCode(): number | undefined
}

export function createFaults(): Faults {
  const messages: { fault: MessageFault; to: string | undefined }[] = []
  const passkeys: PasskeyFault[] = []
  const codes: number[] = []
  let arrival: ArrivalFault | null = null
  let [oldestVersion, receipts] = [0, 0]
  let [withholdsRestart, forgesBundles, demandsCurrentForms] = [false, false, false]

  return {
    get arrival() {
      return arrival
    },
    get oldestVersion() {
      return oldestVersion
    },
    get withholdsRestart() {
      return withholdsRestart
    },
    get forgesBundles() {
      return forgesBundles
    },
    get demandsCurrentForms() {
      return demandsCurrentForms
    },
    demandCurrentForms: () => void (demandsCurrentForms = true),
    onMessage(fault, to, times = 1) {
      for (let left = times; left > 0; left--) messages.push({ fault, to })
    },
    onReceipt: (times) => void (receipts = times),
    onArrival: (fault) => void (arrival = fault),
    demandVersion: (oldest) => void (oldestVersion = oldest),
    withholdRestart: () => void (withholdsRestart = true),
    onPasskey: (fault) => void passkeys.push(fault),
    onPairingCode: (code) => void codes.push(code),
    forgeBundles: (isForged) => void (forgesBundles = isForged),
    takeMessage(to) {
      const at = messages.findIndex((one) => one.to === undefined || one.to === to)
      return at < 0 ? undefined : messages.splice(at, 1)[0]?.fault
    },
    takeReceipt: () => receipts > 0 && receipts-- > 0,
    takePasskey(at) {
      const found = passkeys.findIndex((one) => one.at === at)
      return found < 0 ? undefined : passkeys.splice(found, 1)[0]
    },
    takePairingCode: () => codes.shift(),
  }
}
