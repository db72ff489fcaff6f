import type { Reply } from '../../app/operation-types.ts'

type Usage = Reply<'testAgent'>['usage']

/** `1,204 tokens · $0.0004 · 1.8 s`; what was not used is left out. */
export function usageParts(
  { input_tokens: input, output_tokens: output, cost_usd: cost, duration_ms: ms }: Usage,
  locale: string,
) {
  const seconds = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }).format(ms / 1_000)
  const money = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD', maximumFractionDigits: 4 })
  return {
    tokens: input + output,
    cost: cost === null ? undefined : money.format(cost),
    seconds,
  }
}
