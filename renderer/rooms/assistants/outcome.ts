import type { Outcome } from './approval.ts'

/** Appearance of an outcome; color is never the only sign. */
export const OUTCOME_APPEARANCE: Readonly<Record<Outcome, { icon: string; tint: string }>> = {
  waiting: { icon: 'i-lucide-hand', tint: 'text-warning' },
  running: { icon: 'i-lucide-loader', tint: 'text-muted' },
  done: { icon: 'i-lucide-circle-check', tint: 'text-success' },
  failed: { icon: 'i-lucide-triangle-alert', tint: 'text-error' },
  refused: { icon: 'i-lucide-circle-x', tint: 'text-muted' },
  expired: { icon: 'i-lucide-clock', tint: 'text-muted' },
}
