import { useDraft } from '../../app/drafts.ts'

/** The partly typed target number of a transfer. */
export const useTransferNumber = (callId: () => string) => useDraft(() => `calls/transfer/${callId()}`)
