import { standInKeytar, type KeychainMood } from '../vault.ts'

/** The keychain of the computer the stand-in imitates; a test sets its mood at the start, and by `keychain` later. */
export const keychain = standInKeytar((process.env['STAND_IN_KEYCHAIN'] as KeychainMood | undefined) ?? 'works')

export default keychain
