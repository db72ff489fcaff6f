import { systemClock } from '../../../main/kernel/clock.ts'
import { createDocumentReader } from '../../../main/kernel/documents/index.ts'
import { contentOf } from '../../../main/kernel/file-content.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { startTestDocuments } from '../../support/media-program.ts'

/** Reads a document, says so, and stays. */
const reader = createDocumentReader({ clock: systemClock, log: silentLog, start: startTestDocuments })
const { kind } = await reader.read('text', contentOf(Buffer.from('A word.')))
process.stdout.write(`${kind}\n`)
setInterval(() => {}, 60_000)
