/** The only site whose pages may use the passkey of an account. */
export const PASSKEY_ORIGIN = 'https://web.whatsapp.com'

/** A page of that site that loads nothing else: its start page would show its own QR code. */
export const PASSKEY_PAGE = `${PASSKEY_ORIGIN}/robots.txt`
