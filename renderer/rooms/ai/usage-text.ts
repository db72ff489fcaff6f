import { amountOf } from '../../app/money.ts'
import { requestDuration } from '../../app/numbers.ts'
import type { Reply } from '../../app/operation-types.ts'

type Usage = Reply<'testAgent'>['usage']

/** `1,204 tokens · $0.0004 · 1.8 sec`; parts that are zero are left out. */
export const usageParts = (
  { input_tokens: input, output_tokens: output, cost_usd: cost, duration_ms: ms }: Usage,
  locale: string,
) => ({
  tokens: input + output,
  cost: cost === null ? undefined : amountOf(cost, 'USD', locale, 4),
  duration: requestDuration(ms, locale),
})
