import type { PhoneMessage } from '../campaigns/preview.ts'
import type { Component } from './template-buttons.ts'

/** The options of a template for one-time codes. Meta writes the texts. */
export interface FormCode {
  /** Adds a sentence that warns against sharing the code. */
  readonly recommends: boolean
  /** null if the message does not say when the code expires. */
  readonly minutes: number | null
  /** '' uses Meta’s own text. */
  readonly button: string
  /** The button, including fields that the form does not show. */
  readonly otp: Component
}

export const MOST_MINUTES = 90
const COPY: Component = { type: 'OTP', otp_type: 'COPY_CODE' }
export const NEW_CODE: FormCode = { recommends: true, minutes: 10, button: '', otp: COPY }

export function toFormCode(components: readonly Component[]): FormCode {
  const find = (type: string) => components.find((each) => each.type === type)
  const minutes = find('FOOTER')?.code_expiration_minutes
  const list = find('BUTTONS')?.buttons
  const [button] = Array.isArray(list) ? (list as Component[]) : []
  return {
    recommends: find('BODY')?.add_security_recommendation === true,
    minutes: typeof minutes === 'number' ? minutes : null,
    button: typeof button?.text === 'string' ? button.text : '',
    otp: button === undefined ? COPY : toOtp(button),
  }
}

/** Meta returns the button as the link that is sent; the kind of the button is in its URL. */
function toOtp({ type, url, otp_type: kind, supported_apps: apps }: Component): Component {
  const shown = typeof url === 'string' ? /otp_type=([A-Z_]+)/.exec(url)?.[1] : undefined
  return {
    type: 'OTP',
    otp_type: type === 'OTP' ? kind : (shown ?? 'COPY_CODE'),
    ...(apps !== undefined && { supported_apps: apps }),
  }
}

/** In the format of the Graph API. */
export const toCodeComponents = ({ recommends, minutes, button, otp }: FormCode): Component[] => [
  { type: 'BODY', add_security_recommendation: recommends },
  ...(minutes === null ? [] : [{ type: 'FOOTER', code_expiration_minutes: minutes }]),
  { type: 'BUTTONS', buttons: [{ ...otp, ...(button.trim() !== '' && { text: button.trim() }) }] },
]

interface Words {
  readonly code: string
  readonly secret: string
  readonly expires: (minutes: number) => string
  readonly copy: string
}

/** Meta’s texts in the languages of this window, for the preview. In other languages, Meta writes them itself. */
const ENGLISH: Words = {
  code: '*123456* is your verification code.',
  secret: 'For your security, do not share this code.',
  expires: (minutes) => `This code expires in ${minutes} minutes.`,
  copy: 'Copy code',
}
const WORDS: Readonly<Record<string, Words>> = {
  en: ENGLISH,
  es: {
    code: 'Tu código de verificación es *123456*.',
    secret: 'Por tu seguridad, no lo compartas.',
    expires: (minutes) => `Este código caduca en ${minutes} minutos.`,
    copy: 'Copiar código',
  },
  pt: {
    code: 'Seu código de verificação é *123456*.',
    secret: 'Para sua segurança, não o compartilhe.',
    expires: (minutes) => `Este código expira em ${minutes} minutos.`,
    copy: 'Copiar código',
  },
}

export function codePreview({ recommends, minutes, button }: FormCode, language: string): PhoneMessage {
  const words = WORDS[language.split('_')[0] ?? ''] ?? ENGLISH
  return {
    ...{ header: '', media: null },
    text: recommends ? `${words.code} ${words.secret}` : words.code,
    footer: minutes === null ? '' : words.expires(minutes),
    ...{ buttons: [button || words.copy], cards: [] },
  }
}
