import type { Random } from '../../kernel/ids.ts'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** An id in GoHighLevel's format: 20 letters and digits. */
export const ghlId = (random: Random): string =>
  [...random.bytes(20)].map((byte) => LETTERS[byte % LETTERS.length]).join('')
