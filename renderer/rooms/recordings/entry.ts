import type { RoomEntries } from '../../app/entries.ts'

/** A link to a position in a recording, copied in the browser or in the desktop app. */
const LINK = /(?:#|switchboard:\/)(\/recordings\/[\w-]{1,64}\/[\w-]{1,64}(?:\?t=[\d.]{1,12})?)$/

export default {
  entries: [],
  under: { '/recordings': '/calls' },
  actions: [{ words: 'recordings.title', icon: 'i-lucide-file-audio', to: '/recordings' }],
  ids: [
    {
      pattern: LINK,
      ...{ words: 'recordings.one', icon: 'i-lucide-file-audio' },
      to: (link) => LINK.exec(link)?.[1] ?? '/recordings',
    },
  ],
} satisfies RoomEntries
