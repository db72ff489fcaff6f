import type { CallbackFault, CallbackFaultCode, GivenField, ReasonCode } from '../../../engines/official/index.ts'

/** The text of the onboarding pages in one language. Plain text, no markup. */
export interface OnboardingLocale {
  readonly language: string
  readonly connect: string
  readonly submit: string
  readonly connected: string
  readonly isConnected: (name: string) => string
  readonly sandbox: {
    readonly tag: string
    readonly heading: (name: string) => string
    readonly lead: string
    readonly number: string
    readonly wrongNumber: string
    readonly done: (number: string) => string
  }
  readonly live: {
    readonly heading: (name: string) => string
    readonly lead: string
    readonly withMeta: string
    readonly orPaste: string
    readonly fields: Readonly<Record<GivenField, { readonly label: string; readonly hint: string }>>
    readonly canSend: (number: string) => string
    readonly callsBack: string
    readonly pinNote: string
    readonly pin: string
    readonly close: string
    readonly failed: string
    readonly notYet: (name: string) => string
    readonly again: string
    readonly usedMeanwhile: string
  }
  readonly callback: {
    readonly title: string
    readonly before: string
    readonly after: string
    readonly url: string
    readonly token: string
    readonly ok: string
    readonly noAddress: string
    readonly faults: Readonly<Record<CallbackFaultCode, (fault: CallbackFault) => string>>
  }
  readonly reasons: Readonly<Record<ReasonCode, (detail: string) => string>>
  readonly gone: { readonly title: string; readonly text: string }
  /** The account was suspended after the person went to Meta. */
  readonly suspended: { readonly title: string; readonly text: string }
}
