import { shallowRef } from 'vue'

/** The formats of all countries, loaded later because they are too large for the first load. */
const formats = shallowRef<(digits: string) => string | undefined>()

/** Numbers on screen are formatted again once the formats are loaded. */
export async function loadNumberFormats(): Promise<void> {
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/min')
  formats.value = (digits) => parsePhoneNumberFromString(`+${digits}`)?.formatInternational()
}

/** `+1 202 555 0147`: a number in the international format of its country; for Brazil with its usual hyphen. */
export function numberText(digits: string): string {
  const american = /^1(\d{3})(\d{3})(\d{4})$/.exec(digits)
  if (american) return `+1 ${american.slice(1).join(' ')}`
  const [, area, first, last] = /^55(\d{2})(\d{4,5})(\d{4})$/.exec(digits) ?? []
  return area ? `+55 ${area} ${first}-${last}` : (formats.value?.(digits) ?? `+${digits}`)
}
