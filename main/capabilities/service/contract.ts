import type { Contract } from '../../contract/operation.ts'
import { overviewContract } from './contract/overview.ts'
import { backupsContract } from './contract/backups.ts'
import { settingsContract } from './contract/settings.ts'
import { consoleContract } from './contract/console.ts'

export type { SettingRecord } from './contract/settings.ts'
export type { BridgeProgram } from './contract/overview.ts'
export type { BackupsRecord } from './contract/backups.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    service: true
    'tool-calls': true
    assistants: true
  }
}

export const serviceContract = {
  ...overviewContract,
  ...backupsContract,
  ...settingsContract,
  ...consoleContract,
} as const satisfies Contract
