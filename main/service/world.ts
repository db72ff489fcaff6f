import type { BridgeProgram } from '../capabilities/service/index.ts'
import type { Config } from '../config.ts'
import type { Clock } from '../kernel/clock.ts'
import type { StartDocuments } from '../kernel/documents/index.ts'
import type { Random } from '../kernel/ids.ts'
import type { Log } from '../kernel/log.ts'
import type { LogHealth } from '../kernel/log-health.ts'
import type { RecentLog } from '../kernel/recent-log.ts'
import type { Dial, Resolve } from '../outbound/outbound.ts'
import type { MaintenanceProcess } from '../storage/maintenance-process.ts'
import type { FreeBytes } from '../storage/free-bytes.ts'
import type { OpenStorage } from '../storage/sqlite.ts'
import type { ImportKeytar } from '../vault/keychain.ts'
import type { Engine } from '../engines/engine.ts'
import type { GraphSimulator } from '../engines/sandbox/graph/index.ts'
import type { StartVoice } from '../voice/voice-process.ts'
import type { VoiceAgents } from '../capabilities/voice/index.ts'
import type { Vault } from '../vault/vault.ts'

/** Everything that tests replace; the rest is the product itself. */
export interface World {
  readonly clock: Clock
  readonly random: Random
  readonly config: Config
  readonly log: Log & Partial<LogHealth>
  /** Folder of the built window; null or absent: the console exists only in the desktop app. */
  readonly consoleFolder?: string | null
  /** How an assistant's program starts the stdio bridge here; null or absent: it cannot. */
  readonly bridge?: BridgeProgram | null
  /** Runs maintenance of the database in a separate process; null or absent: the open database is not checked. */
  readonly maintenanceProcess?: MaintenanceProcess | null
  /** Starts the voice process; null or absent: there are no calls. */
  readonly startVoice?: StartVoice | null
  /** Tests only: receives the simulated Meta once it is built. */
  readonly onGraph?: (graph: GraphSimulator) => void
  /** Tests only: sees the calls of the engines of the simulated network. */
  readonly observeEngine?: (engine: Engine) => Engine
  /** Tests only: the agents of calls. */
  readonly voiceAgents?: VoiceAgents
  /** Path of the program that converts media in a thread; null or absent: nothing is converted. */
  readonly mediaProgram?: string | null
  /** Starts the process that reads documents; null or absent: documents are not read. */
  readonly startDocuments?: StartDocuments | null
  readonly resolve?: Resolve
  /** Tests only: connects to another address instead of a checked public one. */
  readonly dial?: Dial
  /** Restarts the service; absent if only a person can. */
  readonly restart?: () => void
  /** Free space of the disk; tests return small values. */
  readonly freeBytes?: FreeBytes
  /** Tests only: stands between the service and its database. */
  readonly openStorage?: OpenStorage
  readonly importKeytar?: ImportKeytar
  /** A person is present who can answer a keychain prompt. */
  readonly isInteractive?: boolean
  /** Tests only: used instead of keychain and file. */
  readonly vault?: Vault
}

/** The world of a running service: its log remembers the last lines, and its settings may change. */
export interface RunningWorld extends World {
  readonly log: RecentLog
  /** The health of every log destination. */
  readonly logHealth: readonly LogHealth[]
}

/** The service could not start; the message says why and what to do, for the person at the terminal. */
export class StartError extends Error {}

/** Another process owns the home folder: a service, or a command that is running. */
export class HomeInUse extends StartError {}
