/** The messages that libsignal prints about its sessions, with their complete content. */
const CHATTER =
  /^(Closing (open )?session|Opening session|Removing old closed session|Session (already|error)|Decrypted message with closed|Failed to decrypt message with any)/

let isHushed = false

/**
 * Suppresses the output of libsignal, which the stand-in's phones use like the clients, because it would hide the
 * output of the tests.
 */
export function hushLibrary(): void {
  if (isHushed) return
  isHushed = true
  const terminal = globalThis.console
  for (const level of ['info', 'warn', 'error'] as const) {
    const speak = terminal[level].bind(terminal)
    terminal[level] = (...said: unknown[]) => {
      if (typeof said[0] !== 'string' || !CHATTER.test(said[0])) speak(...said)
    }
  }
}
