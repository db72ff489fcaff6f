import { homedir } from 'node:os'
import { join } from 'node:path'
import { processEnvironment, readConfig, readTextFile, settingFlags, type Config } from './config.ts'
import { systemClock } from './kernel/clock.ts'
import { systemRandom } from './kernel/ids.ts'
import { createLog, type LogLevel } from './kernel/log.ts'
import type { ForkProgram } from './service/child-program.ts'
import { documentsStarter } from './service/documents.ts'
import { maintenanceProcess } from './service/maintenance.ts'
import { voiceStarter } from './service/voice.ts'
import { bridgeProgram } from './service/bridge-program.ts'
import type { World } from './service.ts'

/** Separates the settings from a program's other arguments, and reads them. @throws ConfigError */
export function settingsOf(argv: readonly string[]): { rest: readonly string[]; config: Config } {
  const { settings, rest } = settingFlags(argv)
  const machine = { env: processEnvironment(), platform: process.platform, homedir: homedir(), readFile: readTextFile }
  return { rest, config: readConfig({ ...machine, argv: settings }) }
}

/**
 * This machine's clock, random numbers and files.
 * @param consoleFolder the built window; null: not served.
 * @param start starts our programs: Electron needs its own function.
 * @param forkProgram the same for programs with a message channel.
 */
export const worldOf = (
  config: Config,
  logLevel: LogLevel,
  consoleFolder: string | null = null,
  start?: Parameters<typeof maintenanceProcess>[1],
  forkProgram?: ForkProgram,
): World => ({
  clock: systemClock,
  random: systemRandom,
  config,
  log: createLog(logLevel),
  consoleFolder,
  // The window is in out/renderer.
  maintenanceProcess: consoleFolder === null ? null : maintenanceProcess(join(consoleFolder, '..', 'main'), start),
  startVoice:
    consoleFolder === null
      ? null
      : voiceStarter(
          {
            voice: join(consoleFolder, '..', 'main', 'voice-program.js'),
            speech: join(consoleFolder, '..', 'main', 'flite-thread.js'),
          },
          forkProgram,
        ),
  mediaProgram: consoleFolder === null ? null : join(consoleFolder, '..', 'main', 'media-program.js'),
  startDocuments:
    consoleFolder === null
      ? null
      : documentsStarter(
          {
            documents: join(consoleFolder, '..', 'main', 'document-program.js'),
            thread: join(consoleFolder, '..', 'main', 'document-thread.js'),
          },
          forkProgram,
        ),
  bridge: consoleFolder === null ? null : bridgeProgram(join(consoleFolder, '..', '..')),
})
