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

/** All that tests replace; the rest is the product. */
export interface World {
  readonly clock: Clock
  readonly random: Random
  readonly config: Config
  readonly log: Log & Partial<LogHealth>
  /** Folder of the built window; null or absent: there is none, and the console is only in the desktop app. */
  readonly consoleFolder?: string | null
  /** How an assistant's program starts the stdio bridge here; null or absent: it cannot. */
  readonly bridge?: BridgeProgram | null
  /** What works on the database in a process of its own; null or absent: nobody looks through it while it is open. */
  readonly maintenanceProcess?: MaintenanceProcess | null
  /** Starts the voice process; null or absent: there are no calls. */
  readonly startVoice?: StartVoice | null
  /** Tests only: the simulated Meta, once it was built. */
  readonly onGraph?: (graph: GraphSimulator) => void
  /** Tests only: sees the calls of the engines of the simulated network. */
  readonly observeEngine?: (engine: Engine) => Engine
  /** Tests only: the agents that talk in calls. */
  readonly voiceAgents?: VoiceAgents
  /** Path of the program that converts media in a thread; null or absent: nothing is converted. */
  readonly mediaProgram?: string | null
  /** Starts the process that reads documents; null or absent: none is read. */
  readonly startDocuments?: StartDocuments | null
  readonly resolve?: Resolve
  /** Tests only: reaches a checked public address somewhere else. */
  readonly dial?: Dial
  /** Starts this process's service again; absent where only a person can. */
  readonly restart?: () => void
  /** Room on the disk; tests make it scarce. */
  readonly freeBytes?: FreeBytes
  /** Tests only: stands between the service and its database. */
  readonly openStorage?: OpenStorage
  readonly importKeytar?: ImportKeytar
  /** A person sits before it, who can answer a prompt of the keychain. */
  readonly isInteractive?: boolean
  /** Tests only: used instead of keychain and file. */
  readonly vault?: Vault
}

/** The world of a service that runs: its log remembers the last lines, and its settings may change. */
export interface RunningWorld extends World {
  readonly log: RecentLog
  /** Of every place that log lines go to. */
  readonly logHealth: readonly LogHealth[]
}

/** The service could not start; the message says why and what to do, for the person at the terminal. */
export class StartError extends Error {}

/** Another process owns the home folder: a service, or for a moment a command. */
export class HomeInUse extends StartError {}
