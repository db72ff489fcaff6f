import { ACCOUNT_ACTS } from './account-acts.ts'
import type { Act, Acts } from './act-context.ts'
import { CHANNEL_ACTS } from './channel-acts.ts'
import { CHAT_ACTS } from './chat-acts.ts'
import { GROUP_ACTS } from './group-acts.ts'

/** Every action that does not send. */
const ACTS: Acts = { ...CHAT_ACTS, ...GROUP_ACTS, ...CHANNEL_ACTS, ...ACCOUNT_ACTS }

/** @returns undefined for an unknown path. */
export function findAct(group: string, action: string): Act | undefined {
  const name = `${group}/${action}`
  return Object.hasOwn(ACTS, name) ? ACTS[name] : undefined
}
