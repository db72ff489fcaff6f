import type { StartDocuments } from '../kernel/documents/index.ts'
import { childProgramStarter, type ForkProgram } from './child-program.ts'

/** Where document-program.ts and document-thread.ts lie. */
interface DocumentPrograms {
  readonly documents: string
  readonly thread: string
}

/** @param fork Electron has a way of its own. */
export const documentsStarter = ({ documents, thread }: DocumentPrograms, fork?: ForkProgram): StartDocuments =>
  childProgramStarter({ program: documents, args: [thread], flags: [], title: 'Switchboard documents' }, fork)
