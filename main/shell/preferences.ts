import { join } from 'node:path'
import type { NoteKind, Preferences, PreferencesChange } from '../contract/window-bridge.ts'
import { readSmallFile, writeSmallFile } from './small-file.ts'

/** Notifications show on a locked screen too, so those for messages are off by default. */
const DEFAULTS: Preferences = { closing: 'ask', notes: { lost: true, deliveries: true, messages: false } }

/** Choices made on this computer, stored beside the database; if they are lost, the person only chooses again. */
export function preferencesIn(home: string): {
  read(): Preferences
  change(change: Omit<PreferencesChange, 'opensAtLogin'>): Preferences
} {
  const file = join(home, 'preferences.json')
  let chosen = parsePreferences(readSmallFile(file))
  return {
    read: () => chosen,
    change({ closing = chosen.closing, notes }) {
      const next = { closing, notes: { ...chosen.notes, ...notes } }
      writeSmallFile(file, next)
      return (chosen = next)
    },
  }
}

function parsePreferences(found: unknown): Preferences {
  const { closing, notes } = record(found)
  const chosen = record(notes)
  const isChosen = (kind: NoteKind) => {
    const value = chosen[kind]
    return typeof value === 'boolean' ? value : DEFAULTS.notes[kind]
  }
  return {
    closing: closing === 'hide' || closing === 'quit' ? closing : DEFAULTS.closing,
    notes: { lost: isChosen('lost'), deliveries: isChosen('deliveries'), messages: isChosen('messages') },
  }
}

const record = (found: unknown): Readonly<Record<string, unknown>> =>
  typeof found === 'object' && found !== null ? { ...found } : {}
