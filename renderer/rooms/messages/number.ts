/** A phone number as people write it, as the digits the service wants: 7 to 15, with the country code. */
export function digitsOf(written: string): string | undefined {
  const trimmed = written.trim()
  if (!/^\+?[\d\s().-]+$/.test(trimmed)) return undefined
  const digits = trimmed.replace(/\D/g, '').replace(/^00/, '')
  return digits.length >= 7 && digits.length <= 15 ? digits : undefined
}

/** Only to numbers can be sent; a group has an id of another form. */
export const isNumber = (chat: string): boolean => /^\d{7,15}$/.test(chat)
