import { ProviderFailure } from '../ai-providers/index.ts'
import type { Usage } from './decision.ts'

/** Spent by a call that failed, so that it is counted all the same. */
export class SpentFailure extends ProviderFailure {
  readonly usage: Usage

  constructor(failure: ProviderFailure, usage: Usage) {
    super(failure.code, failure.message, failure.retryAfterMs)
    this.usage = usage
  }
}
