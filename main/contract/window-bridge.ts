import { Type, type Static } from 'typebox'

/** Kinds of the system's notifications. Each can be switched off. */
export type NoteKind = 'lost' | 'deliveries' | 'messages'

/** What closing the window does. `ask`: the person is asked the next time. */
const Closing = Type.Enum(['ask', 'hide', 'quit'])
export type Closing = Static<typeof Closing>

/** What the person at this computer chose for the desktop app. It concerns nobody else, so it is no setting of the service. */
export interface Preferences {
  readonly closing: Closing
  readonly notes: Readonly<Record<NoteKind, boolean>>
}

const notes = {
  lost: Type.Optional(Type.Boolean()),
  deliveries: Type.Optional(Type.Boolean()),
  messages: Type.Optional(Type.Boolean()),
} as const satisfies Record<NoteKind, unknown>

/** What the page may change; what is left out stays. */
export const PreferencesChange = Type.Object(
  {
    closing: Type.Optional(Closing),
    notes: Type.Optional(Type.Object(notes, { additionalProperties: false })),
    opensAtLogin: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
export type PreferencesChange = Static<typeof PreferencesChange>

export interface PreferencesView extends Preferences {
  /** Kept by the system, not by us. null: this copy cannot be opened at login, because it is not an installed app. */
  readonly opensAtLogin: boolean | null
}

/** Where an update stands. Nothing is fetched and nothing installed before the person says so. */
export type UpdateState =
  /** This copy has no channel that updates could come from. */
  | { readonly kind: 'none' }
  | { readonly kind: 'idle' | 'looking' | 'newest' }
  | { readonly kind: 'offered'; readonly version: string }
  | { readonly kind: 'fetching'; readonly version: string; readonly percent: number }
  /** Fetched and proved; a restart installs it. */
  | { readonly kind: 'ready' | 'installing'; readonly version: string }
  /** It is not what its makers signed, and is not touched. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'failed' }

/** What the page may ask of the app, and what comes with it. Every one is answered through `shell/window-requests.ts`. */
export interface WindowRequests {
  readPreferences(): Promise<PreferencesView>
  changePreferences(change: PreferencesChange): Promise<PreferencesView>
  readUpdate(): Promise<UpdateState>
  lookForUpdate(): Promise<UpdateState>
  fetchUpdate(): Promise<UpdateState>
  /** Finishes what is under way, installs and opens the app again. */
  restartToUpdate(): Promise<UpdateState>
}

/** The few native things the desktop app's preload offers its page; in a browser there are none. All data travels over HTTP. */
export interface WindowBridge extends Readonly<WindowRequests> {
  readonly platform: string
  readonly version: string
  /** Calls back when the system asks for a place of the page (a deep link, a notification). @returns ends it. */
  onOpenRoute(act: (route: string) => void): () => void
  /** Calls back when an update moves on. @returns ends it. */
  onUpdate(act: (state: UpdateState) => void): () => void
}
