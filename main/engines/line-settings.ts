import type { InstanceId } from '../kernel/ids.ts'
import type { Proxy } from '../outbound/proxy.ts'
import type { EngineInstance } from './instance.ts'

/** How fast a line sends. null: as the service is set. */
interface LinePace {
  readonly perMinute: number | null
  readonly burst: number | null
  readonly chatPerMinute: number | null
  readonly chatBurst: number | null
  readonly spacingMs: number | null
}

/** What is set for one line. */
export interface LineSettings {
  readonly pace: LinePace
  /** Whether contacts see it as online while it is connected. */
  readonly online: boolean
  /** What its connections go through. */
  readonly proxy: Proxy | null
}

export const DEFAULT_LINE: LineSettings = {
  pace: { perMinute: null, burst: null, chatPerMinute: null, chatBurst: null, spacingMs: null },
  online: false,
  proxy: null,
}

/** @throws ApiError sealed */
export type ReadLineSettings = (id: InstanceId) => Promise<LineSettings>

/** Engines whose lines can be set one by one. */
export interface LineControl {
  /** Connects to the network through it. @throws ConnectFailure */
  checkProxy(proxy: Proxy): Promise<void>
  /** Reads the settings again and applies what has changed. A line whose proxy has changed connects again. */
  settingsChanged(instance: EngineInstance): Promise<void>
}
