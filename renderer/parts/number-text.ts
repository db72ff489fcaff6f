/** `+1 202 555 0147`: North American and Brazilian numbers in their usual format, any other with its plus. */
export function numberText(digits: string): string {
  const american = /^1(\d{3})(\d{3})(\d{4})$/.exec(digits)
  if (american) return `+1 ${american.slice(1).join(' ')}`
  const [, area, first, last] = /^55(\d{2})(\d{4,5})(\d{4})$/.exec(digits) ?? []
  return area ? `+55 ${area} ${first}-${last}` : `+${digits}`
}
