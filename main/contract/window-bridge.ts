import { Type, type Static } from 'typebox'
import type { PasskeyCredential } from './instance.ts'

/** Kinds of system notifications. Each can be turned off. */
export type NoteKind = 'lost' | 'deliveries' | 'messages'

/** What closing the window does. `ask`: ask the person next time. */
const Closing = Type.Enum(['ask', 'hide', 'quit'])
export type Closing = Static<typeof Closing>

/** Preferences of the desktop app on this computer. They affect nobody else, so they are not settings of the service. */
export interface Preferences {
  readonly closing: Closing
  readonly notes: Readonly<Record<NoteKind, boolean>>
}

const notes = {
  lost: Type.Optional(Type.Boolean()),
  deliveries: Type.Optional(Type.Boolean()),
  messages: Type.Optional(Type.Boolean()),
} as const satisfies Record<NoteKind, unknown>

/** What the page may change; omitted fields stay as they are. */
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
  /** Stored by the operating system. null: not available, because this copy is not an installed app. */
  readonly opensAtLogin: boolean | null
}

/** State of an update. Nothing is downloaded or installed until the person agrees. */
export type UpdateState =
  /** This copy has no update channel. */
  | { readonly kind: 'none' }
  | { readonly kind: 'idle' | 'looking' | 'newest' }
  | { readonly kind: 'offered'; readonly version: string }
  | { readonly kind: 'fetching'; readonly version: string; readonly percent: number }
  /** Downloaded and verified; a restart installs it. */
  | { readonly kind: 'ready' | 'installing'; readonly version: string }
  /** The signature is not valid, so the update is not installed. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'failed' }

/** The page reports whether its forms have unsaved input. */
export const UnsavedState = Type.Object({ isUnsaved: Type.Boolean() }, { additionalProperties: false })
export type UnsavedState = Static<typeof UnsavedState>

/** The options of a passkey request, as in the QR view. */
export const PasskeyRequest = Type.Object(
  {
    options: Type.Object(
      { challenge: Type.String({ minLength: 1, maxLength: 1_024 }) },
      { additionalProperties: true },
    ),
  },
  { additionalProperties: false },
)
export type PasskeyRequest = Static<typeof PasskeyRequest>

export type SignOutcome =
  | { readonly kind: 'signed'; readonly credential: PasskeyCredential }
  /** The person closed it, has no passkey there, or let it time out: browsers do not distinguish these. */
  | { readonly kind: 'dismissed' }
  /** No suitable browser is installed, or WhatsApp's page did not load. */
  | { readonly kind: 'unavailable' }

/** The app's ways to ask for a passkey on this computer. */
export interface PasskeyReadiness {
  /** `none`: no suitable browser is installed. */
  readonly way: 'window' | 'browser' | 'none'
  /** Whether the computer can reach a nearby phone; null: unknown. */
  readonly hasBluetooth: boolean | null
}

/** Requests of the page to the app. `shell/window-requests.ts` handles them. */
export interface WindowRequests {
  readPreferences(): Promise<PreferencesView>
  changePreferences(change: PreferencesChange): Promise<PreferencesView>
  readUpdate(): Promise<UpdateState>
  lookForUpdate(): Promise<UpdateState>
  fetchUpdate(): Promise<UpdateState>
  /** Finishes running work, installs the update and reopens the app. */
  restartToUpdate(): Promise<UpdateState>
  /** Reports unsaved input in the page, so that the app asks before it quits. */
  setUnsaved(state: UnsavedState): Promise<void>
  /** Known before a phone is linked, so that the person can prepare. Opens nothing. */
  readPasskeyReadiness(): Promise<PasskeyReadiness>
  /** Asks for the passkey of a WhatsApp account on WhatsApp's own site. A new request replaces one that is open. */
  signPasskey(request: PasskeyRequest): Promise<SignOutcome>
}

/** The native features that the desktop app's preload offers the page. Not available in a browser. All data goes over HTTP. */
export interface WindowBridge extends Readonly<WindowRequests> {
  readonly platform: string
  readonly version: string
  /** Called when a deep link or a notification opens a route of the page. @returns unsubscribe. */
  onOpenRoute(act: (route: string) => void): () => void
  /** Called when the state of the update changes. @returns unsubscribe. */
  onUpdate(act: (state: UpdateState) => void): () => void
}
