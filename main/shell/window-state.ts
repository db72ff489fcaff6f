import { join } from 'node:path'
import { readSmallFile, writeSmallFile } from './small-file.ts'

/** Position and size of the window. */
export interface WindowState {
  readonly width: number
  readonly height: number
  readonly x?: number
  readonly y?: number
  readonly maximized: boolean
}

interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const DEFAULT_STATE: WindowState = { width: 1_240, height: 820, maximized: false }
/** Part of the title bar that must be visible, so that a person can drag the window. */
const MIN_VISIBLE = 80

/** A window whose screen is gone opens in the middle of an existing screen. */
export function onScreen(state: WindowState, screens: readonly Area[]): WindowState {
  const { x, y, ...rest } = state
  if (x === undefined || y === undefined) return state
  const isReachable = screens.some(
    (area) =>
      x + state.width >= area.x + MIN_VISIBLE &&
      x <= area.x + area.width - MIN_VISIBLE &&
      y >= area.y &&
      y <= area.y + area.height - MIN_VISIBLE,
  )
  return isReachable ? state : rest
}

/** Stored beside the database in a separate file: if it is lost, only the window's position is lost. */
export function windowStateIn(home: string): { read(): WindowState; write(state: WindowState): void } {
  const file = join(home, 'window.json')
  return {
    read: () => parseState(readSmallFile(file)),
    write(state) {
      try {
        writeSmallFile(file, state)
      } catch {
        // Fails for example if the disk is full. The window must still close.
      }
    },
  }
}

function parseState(found: unknown): WindowState {
  const given = (typeof found === 'object' && found !== null ? found : {}) as Partial<Record<string, unknown>>
  const number = (name: string, least: number) => {
    const value = given[name]
    return typeof value === 'number' && Number.isFinite(value) && value >= least ? Math.round(value) : undefined
  }
  const [x, y] = [number('x', -100_000), number('y', -100_000)]
  return {
    width: number('width', 400) ?? DEFAULT_STATE.width,
    height: number('height', 300) ?? DEFAULT_STATE.height,
    maximized: given['maximized'] === true,
    ...(x !== undefined && y !== undefined && { x, y }),
  }
}
