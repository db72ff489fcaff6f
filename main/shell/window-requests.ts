import type { IpcMain, IpcMainInvokeEvent } from 'electron'
import { Type, type TObject } from 'typebox'
import { PasskeyRequest, PreferencesChange, UnsavedState, type WindowRequests } from '../contract/window-bridge.ts'
import { createCheck } from '../faces/validation.ts'
import { isOurs } from './app-origin.ts'

type Handlers = { readonly [K in keyof WindowRequests]: WindowRequests[K] }

/** Parameters of each request; null: none. */
const PARAMS = {
  readPreferences: null,
  changePreferences: PreferencesChange,
  readUpdate: null,
  lookForUpdate: null,
  fetchUpdate: null,
  restartToUpdate: null,
  setUnsaved: UnsavedState,
  readPasskeyReadiness: null,
  signPasskey: PasskeyRequest,
} as const satisfies Record<keyof WindowRequests, TObject | null>

/**
 * Handles requests of the page to the app, and is the only listener for them. It checks the sender each time, then
 * the parameters. Frames within the page, pages of other origins and closed frames are all refused.
 */
export function handleRequests(ipc: Pick<IpcMain, 'handle'>, acts: Handlers): void {
  for (const [name, takes] of Object.entries(PARAMS) as [keyof WindowRequests, TObject | null][]) {
    const check = createCheck('body', takes ?? Type.Object({}))
    ipc.handle(name, async (event, ...given: unknown[]) => {
      if (!isOwnPage(event)) throw new Error('refused: only the window itself may ask')
      if (given.length !== (takes === null ? 0 : 1)) throw new Error('refused: this is not what it takes')
      if (takes !== null) check(given[0])
      // Just checked above against this request's schema.
      return (acts[name] as (...given: unknown[]) => Promise<unknown>)(...given)
    })
  }
}

function isOwnPage({ senderFrame: frame }: Pick<IpcMainInvokeEvent, 'senderFrame'>): boolean {
  return frame !== null && frame.parent === null && isOurs(frame.url)
}
