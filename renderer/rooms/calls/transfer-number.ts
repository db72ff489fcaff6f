import { useDraft } from '../../app/drafts.ts'

/** Where a call that runs is to be transferred to, as far as it is typed. */
export const useTransferNumber = (callId: () => string) => useDraft(() => `calls/transfer/${callId()}`)
