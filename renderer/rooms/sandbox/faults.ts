import type { LinkFault, SendFault } from '../../../main/contract/sandbox.ts'

export type Fault = SendFault | LinkFault

interface FaultKind {
  readonly icon: string
  /** Waits for the next sends, and may triggerFault several; the others happen at once. */
  readonly waits: boolean
  /** The number must be paired again afterwards: asked before it is done. */
  readonly endsSession: boolean
}

/** In the order in which they are shown: from a hiccup to the worst. */
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
