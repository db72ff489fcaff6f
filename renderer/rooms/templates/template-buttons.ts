import type { Item } from '../../app/operation-types.ts'

export type Component = Item<'listTemplates'>['components'][number]

/** The kinds that the form supports. The button for one-time codes is part of its template. */
export const BUTTON_KINDS = [
  ...(['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'COPY_CODE', 'FLOW', 'VOICE_CALL', 'CATALOG', 'MPM', 'SPM'] as const),
]
export type ButtonKind = (typeof BUTTON_KINDS)[number]

export const BUTTON_ICONS: Readonly<Record<ButtonKind, string>> = {
  ...{ QUICK_REPLY: 'i-lucide-reply', URL: 'i-lucide-external-link', PHONE_NUMBER: 'i-lucide-phone' },
  ...{ COPY_CODE: 'i-lucide-copy', FLOW: 'i-lucide-clipboard-list', VOICE_CALL: 'i-lucide-phone-call' },
  ...{ CATALOG: 'i-lucide-store', MPM: 'i-lucide-shopping-bag', SPM: 'i-lucide-tag' },
}

export interface FormButton {
  readonly kind: ButtonKind
  /** '' for a button that copies a code, because Meta writes its text. */
  readonly text: string
  /** The URL, phone number, code or Flow of the button; '' for other kinds. */
  readonly value: string
  /** The example value for the variable in a URL. Meta's review needs it. */
  readonly example: string
  /** Fields that the form does not show. */
  readonly more: Component
}

/** Meta: "Template components", 2026-05-06. */
const MOST_BUTTONS = 10
const MOST_OF_A_KIND: Readonly<Partial<Record<ButtonKind, number>>> = { QUICK_REPLY: 10, URL: 2 }
/** Maximum lengths in characters. */
export const LONGEST_BUTTON = { text: 25, URL: 2_000, PHONE_NUMBER: 20, COPY_CODE: 15, FLOW: 50 } as const
/** The Graph API field that contains the value of each kind. */
const FIELD = { URL: 'url', PHONE_NUMBER: 'phone_number', COPY_CODE: 'example', FLOW: 'flow_id' } as const
type KindWithValue = keyof typeof FIELD

/** WhatsApp on a computer shows at most three buttons. */
const MOST_ON_COMPUTERS = 3

export const hasValue = (kind: ButtonKind): kind is KindWithValue => Object.hasOwn(FIELD, kind)
export const hasText = (kind: ButtonKind): boolean => kind !== 'COPY_CODE'
export const hasVariable = ({ kind, value }: FormButton): boolean => kind === 'URL' && value.includes('{{')

export const newButton = (kind: ButtonKind, text: string): FormButton => ({
  ...{ kind, text, value: '', example: '', more: {} },
})

/** Whether Meta accepts another button of this kind. */
export const mayAdd = (buttons: readonly FormButton[], kind: ButtonKind): boolean =>
  buttons.length < MOST_BUTTONS && buttons.filter((button) => button.kind === kind).length < (MOST_OF_A_KIND[kind] ?? 1)

/** Meta requires that quick replies are not mixed with other buttons. */
export const inOrder = (buttons: readonly FormButton[]): readonly FormButton[] => [
  ...buttons.filter(({ kind }) => kind === 'QUICK_REPLY'),
  ...buttons.filter(({ kind }) => kind !== 'QUICK_REPLY'),
]

/** Whether WhatsApp on a computer hides all buttons of such a template. */
export const isForPhonesOnly = (buttons: readonly FormButton[]): boolean =>
  buttons.length > MOST_ON_COMPUTERS || new Set(buttons.map(({ kind }) => kind === 'QUICK_REPLY')).size > 1

/** @returns undefined if a button has a kind that the form does not support. */
export function toFormButtons(list: readonly Component[]): readonly FormButton[] | undefined {
  const isKnown = ({ type }: Component) => BUTTON_KINDS.some((kind) => kind === type)
  return list.every(isKnown) ? list.map(toFormButton) : undefined
}

function toFormButton({ type, text, example, ...more }: Component): FormButton {
  const kind = type as ButtonKind
  const sample = textOf(Array.isArray(example) ? example[0] : example)
  const shared = { kind, text: textOf(text) }
  if (kind === 'COPY_CODE') return { ...shared, value: sample, example: '', more }
  if (!hasValue(kind)) return { ...shared, value: '', example: '', more }
  const { [FIELD[kind]]: value, ...rest } = more
  return { ...shared, value: textOf(value), example: sample, more: rest }
}

/** In the format of the Graph API. */
export function toButton(button: FormButton): Component {
  const { kind, text, value, example, more } = button
  return {
    type: kind,
    ...(hasText(kind) && { text: text.trim() }),
    ...more,
    ...(hasValue(kind) && { [FIELD[kind]]: value.trim() }),
    ...(hasVariable(button) && { example: [example.trim()] }),
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
