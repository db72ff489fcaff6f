import type { Contract } from '../../contract/operation.ts'
import { phonesContract } from './contract/phones.ts'
import { messagesContract } from './contract/messages.ts'
import { callsContract } from './contract/calls.ts'
import { answersContract } from './contract/answers.ts'
import { faultsContract } from './contract/faults.ts'
import { modelContract } from './contract/model.ts'
import { catcherContract } from './contract/catcher.ts'

export type { SpeechBody } from './contract/messages.ts'
export type { SettingsBody } from './contract/phones.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    sandbox: true
  }
}

export const sandboxContract = {
  ...phonesContract,
  ...messagesContract,
  ...callsContract,
  ...answersContract,
  ...faultsContract,
  ...modelContract,
  ...catcherContract,
} as const satisfies Contract
