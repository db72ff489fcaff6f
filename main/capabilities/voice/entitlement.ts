import type { AccountId } from '../../kernel/ids.ts'

/** How many instances of an account its voice packages cover. */
export type VoicePackages = (accountId: AccountId) => Promise<number>
