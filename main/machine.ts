import { homedir } from 'node:os'
import { join } from 'node:path'
import { processEnvironment, readConfig, readTextFile, settingFlags, type Config } from './config.ts'
import { systemClock } from './kernel/clock.ts'
import { systemRandom } from './kernel/ids.ts'
import { createLog, type LogLevel } from './kernel/log.ts'
import { bridgeProgram } from './service/bridge-program.ts'
import type { World } from './service.ts'

/** Parts the arguments of a program from the settings among them, and reads these. @throws ConfigError */
export function settingsOf(argv: readonly string[]): { rest: readonly string[]; config: Config } {
  const { settings, rest } = settingFlags(argv)
  const machine = { env: processEnvironment(), platform: process.platform, homedir: homedir(), readFile: readTextFile }
  return { rest, config: readConfig({ ...machine, argv: settings }) }
}

/** This machine's own time, chance and files. @param consoleFolder where the built window lies; null: it is not served. */
export const worldOf = (config: Config, logLevel: LogLevel, consoleFolder: string | null = null): World => ({
  clock: systemClock,
  random: systemRandom,
  config,
  log: createLog(logLevel),
  consoleFolder,
  // The window lies in out/renderer.
  lookThread: consoleFolder === null ? null : join(consoleFolder, '..', 'main', 'look-thread.js'),
  bridge: consoleFolder === null ? null : bridgeProgram(join(consoleFolder, '..', '..')),
})
