import { Notification } from 'electron'
import type { Note } from './notes.ts'

/** Shows notifications of the system; a click opens their page. */
export function createNotifier(open: (route: string) => void): (note: Note) => void {
  // Kept until they close, because a garbage-collected notification loses its click handler.
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
