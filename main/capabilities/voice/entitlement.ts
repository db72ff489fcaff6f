import type { AccountId } from '../../kernel/ids.ts'

/** How many instances of an account its voice packages cover. */
export type VoicePackages = (accountId: AccountId) => Promise<number>

/** Until packages can be bought, every instance has the trial. */
const NO_PACKAGES: VoicePackages = async () => 0
