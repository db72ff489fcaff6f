import type { Log } from '../../kernel/log.ts'
import { redactText } from '../../kernel/redact.ts'

const SPEAKING = ['log', 'info', 'warn', 'error', 'debug', 'trace', 'dir'] as const

let isQuiet = false

/**
 * The encryption library prints whole sessions, private keys included, through `console`. From here on nothing of this
 * process does: texts go to the log without what could be a secret, and of an object only what it is.
 */
export function quietConsole(log: Log): void {
  if (isQuiet) return
  isQuiet = true
  for (const name of SPEAKING) {
    console[name] = (...said: unknown[]) => log.debug({ event: 'smv2.library_said', text: said.map(shown).join(' ') })
  }
}

function shown(said: unknown): string {
  if (typeof said === 'string') return redactText(said)
  if (typeof said !== 'object' || said === null) return typeof said
  return `[${said.constructor.name}]`
}
