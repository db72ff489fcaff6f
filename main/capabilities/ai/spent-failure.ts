import { ProviderFailure } from '../ai-providers/index.ts'
import type { Usage } from './decision.ts'

/** Tokens used by a call that failed. They are counted too. */
export class SpentFailure extends ProviderFailure {
  readonly usage: Usage

  constructor(failure: ProviderFailure, usage: Usage) {
    super(failure.code, failure.message, failure.retryAfterMs)
    this.usage = usage
  }
}
