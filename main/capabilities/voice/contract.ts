import type { Contract } from '../../contract/operation.ts'
import { recordingsContract } from './contract/recordings.ts'
import { callsContract } from './contract/calls.ts'
import { setupContract } from './contract/setup.ts'
import { widgetsContract } from './contract/widgets.ts'
import { consoleContract } from './contract/console.ts'
import { servicesContract } from './contract/services.ts'

export type { Check } from './contract/console.ts'
export type { Speech, Trunk, SpeechBody, TrunkBody } from './contract/services.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    voice: true
  }
}

export const voiceContract = {
  ...recordingsContract,
  ...callsContract,
  ...setupContract,
  ...widgetsContract,
  ...consoleContract,
  ...servicesContract,
} as const satisfies Contract
