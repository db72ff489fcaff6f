import type { StartDocuments } from '../kernel/documents/index.ts'
import { childProgramStarter, type ForkProgram } from './child-program.ts'

/** Paths of document-program.ts and document-thread.ts. */
interface DocumentPrograms {
  readonly documents: string
  readonly thread: string
}

/** @param fork Electron needs its own function. */
export const documentsStarter = ({ documents, thread }: DocumentPrograms, fork?: ForkProgram): StartDocuments =>
  childProgramStarter({ program: documents, args: [thread], flags: [], title: 'Switchboard documents' }, fork)
