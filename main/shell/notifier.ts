import { Notification } from 'electron'
import type { Note } from './notes.ts'

/** Shows notes of the system; a click opens their place. */
export function createNotifier(open: (route: string) => void): (note: Note) => void {
  // Held until it is over: one that is collected before takes its click with it.
  const shown = new Set<Notification>()
  return ({ title, body, route }) => {
    if (!Notification.isSupported()) return
    const note = new Notification({ title, body })
    const forget = () => void shown.delete(note)
    note.on('click', () => {
      forget()
      open(route)
    })
    note.on('close', forget)
    note.on('failed', forget)
    shown.add(note)
    note.show()
  }
}
