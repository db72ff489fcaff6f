import type { LinkFault, SendFault } from '../../../main/contract/sandbox.ts'

export type Fault = SendFault | LinkFault

interface FaultKind {
  readonly icon: string
  /** The fault applies to the next sends, of which there may be several. Other faults happen immediately. */
  readonly waits: boolean
  /** The number must be paired again afterwards, so the fault must be confirmed. */
  readonly endsSession: boolean
}

/** In display order, from harmless to serious. */
export const FAULTS: Readonly<Record<Fault, FaultKind>> = {
  unreachable: { icon: 'i-lucide-cloud-off', waits: true, endsSession: false },
  timeout: { icon: 'i-lucide-hourglass', waits: true, endsSession: false },
  restricted: { icon: 'i-lucide-hand', waits: true, endsSession: false },
  engine_down: { icon: 'i-lucide-server-off', waits: true, endsSession: false },
  drop: { icon: 'i-lucide-unplug', waits: false, endsSession: false },
  logout: { icon: 'i-lucide-log-out', waits: false, endsSession: true },
  ban: { icon: 'i-lucide-ban', waits: false, endsSession: true },
}

export const FAULT_NAMES = Object.keys(FAULTS) as readonly Fault[]
