/** Appearance of a tool call's outcome; color is never the only sign. Unknown outcomes are shown as text. */
export function callAppearance(status: string): { icon: string; tint: string } {
  if (status === 'done') return { icon: 'i-lucide-circle-check', tint: 'text-success' }
  if (status === 'waiting') return { icon: 'i-lucide-hand', tint: 'text-warning' }
  return { icon: 'i-lucide-triangle-alert', tint: 'text-error' }
}
