type Json = Readonly<Record<string, unknown>>

/**
 * Templates of one-time codes. Meta writes their text in the language of the template and lets the business choose
 * two of its sentences ("Authentication templates").
 */

/** Why Meta would refuse the template when it is submitted, in Meta's words; undefined if it would not. */
export function authenticationRefusal(components: readonly Json[]): string | undefined {
  const find = (type: string) => components.find((component) => component['type'] === type)
  if (find('HEADER')) return 'Authentication templates cannot have a header.'
  const { text, add_security_recommendation: recommends } = find('BODY') ?? {}
  if (text !== undefined) return 'The body of authentication templates cannot have a text of its own.'
  if (recommends !== undefined && typeof recommends !== 'boolean')
    return 'add_security_recommendation must be a boolean.'
  const footer = find('FOOTER')
  const minutes = footer?.['code_expiration_minutes']
  if (footer?.['text'] !== undefined) return 'The footer of authentication templates cannot have a text of its own.'
  const isMinutes = typeof minutes === 'number' && Number.isInteger(minutes) && minutes >= 1 && minutes <= 90
  if (footer !== undefined && !isMinutes) return 'code_expiration_minutes must be a whole number from 1 to 90.'
  const buttons = find('BUTTONS')?.['buttons']
  const isOtp = Array.isArray(buttons) && buttons.length === 1 && (buttons as Json[])[0]?.['type'] === 'OTP'
  return isOtp ? undefined : 'Authentication templates need one button of type OTP.'
}

interface Words {
  readonly code: string
  readonly secret: string
  readonly expires: (minutes: number) => string
  readonly copy: string
  readonly fill: string
}

const ENGLISH: Words = {
  code: '*{{1}}* is your verification code.',
  secret: 'For your security, do not share this code.',
  expires: (minutes) => `This code expires in ${minutes} minutes.`,
  ...{ copy: 'Copy code', fill: 'Autofill' },
}
const WORDS: Readonly<Record<string, Words>> = {
  en: ENGLISH,
  es: {
    code: 'Tu código de verificación es *{{1}}*.',
    secret: 'Por tu seguridad, no lo compartas.',
    expires: (minutes) => `Este código caduca en ${minutes} minutos.`,
    ...{ copy: 'Copiar código', fill: 'Autocompletar' },
  },
  pt: {
    code: 'Seu código de verificação é *{{1}}*.',
    secret: 'Para sua segurança, não o compartilhe.',
    expires: (minutes) => `Este código expira em ${minutes} minutos.`,
    ...{ copy: 'Copiar código', fill: 'Preencher automaticamente' },
  },
}

/** The template as Meta shows it after it is submitted: with its text, and the button as the link that is sent. */
export function withMetaText(components: readonly object[], language: string): Json[] {
  const words = WORDS[language.split('_')[0] ?? ''] ?? ENGLISH
  return (components as readonly Json[]).map((component) => {
    const { type, add_security_recommendation: recommends, code_expiration_minutes: minutes } = component
    switch (type) {
      case 'BODY':
        return {
          ...component,
          text: recommends === true ? `${words.code} ${words.secret}` : words.code,
          example: { body_text: [['123456']] },
        }
      case 'FOOTER':
        return { ...component, text: words.expires(Number(minutes)) }
      default:
        return { ...component, buttons: (component['buttons'] as Json[]).map((button) => asLink(button, words)) }
    }
  })
}

function asLink(button: Json, words: Words): Json {
  const { otp_type: type, text, supported_apps: apps } = button
  const url = `https://www.whatsapp.com/otp/code/?otp_type=${String(type)}&code=otp{{1}}`
  return {
    ...{ type: 'URL', text: text ?? (type === 'COPY_CODE' ? words.copy : words.fill), url },
    ...(apps !== undefined && { supported_apps: apps }),
    example: [`${url.slice(0, -'{{1}}'.length)}123456`],
  }
}
