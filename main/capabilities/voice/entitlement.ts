import type { AccountId } from '../../kernel/ids.ts'

/** How many instances the voice packages of an account cover. */
export type VoicePackages = (accountId: AccountId) => Promise<number>
