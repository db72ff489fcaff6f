/** How an outcome of a tool call looks; colour is never the only sign. Unknown words are shown as they are. */
export function callAppearance(status: string): { icon: string; tint: string } {
  if (status === 'done') return { icon: 'i-lucide-circle-check', tint: 'text-success' }
  if (status === 'waiting') return { icon: 'i-lucide-hand', tint: 'text-warning' }
  return { icon: 'i-lucide-triangle-alert', tint: 'text-error' }
}
