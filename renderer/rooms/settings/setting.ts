import type { SettingRecord } from '../../../main/capabilities/service/contract.ts'

type Value = SettingRecord['value']

/** The kind of form field for a setting. */
export type Field = 'choice' | 'number' | 'numbers' | 'text'

export function fieldOf({ choices, usual }: Pick<SettingRecord, 'choices' | 'usual'>): Field {
  if (choices !== null) return 'choice'
  if (Array.isArray(usual)) return 'numbers'
  return typeof usual === 'number' ? 'number' : 'text'
}

export const textOf = (value: Value): string => (Array.isArray(value) ? value.join(', ') : String(value ?? ''))

/**
 * The typed text as a value of the setting.
 * @returns undefined if it is not a value of this kind. The service makes all other checks.
 */
export function valueOf(field: Field, text: string): Value | undefined {
  if (field === 'choice' || field === 'text') return text.trim() === '' ? undefined : text.trim()
  const parts = field === 'number' ? [text] : text.split(/[,;\s]+/).filter(Boolean)
  const numbers = parts.map((part) => (part.trim() === '' ? NaN : Number(part)))
  if (numbers.length === 0 || numbers.some(Number.isNaN)) return undefined
  return field === 'number' ? numbers[0] : numbers
}

/** The settings of each group, in display order. All other settings are only in settings.json. */
export const ADDRESS_SETTINGS = ['port', 'host', 'allow_lan', 'allowed_hosts', 'public_base_url'] as const
export const LIMIT_SETTINGS = [
  ...(['slots', 'rate_limit_per_minute', 'anonymous_rate_limit_per_minute'] as const),
  ...(['send_timeout_ms', 'retry_schedule_s', 'media.keep_days', 'media.wait_seconds'] as const),
  ...(['pace.per_minute', 'pace.burst', 'pace.chat_per_minute', 'pace.chat_burst', 'pace.spacing_ms'] as const),
] as const

export const SAFETY_SETTINGS = [
  ...(['safety.daily_limit', 'safety.hourly_limit', 'safety.spacing_s'] as const),
  ...(['safety.warmup_days', 'safety.warmup_limits'] as const),
  ...(['safety.first_contacts', 'safety.first_contacts_new', 'safety.first_contacts_days'] as const),
  ...(['safety.withheld_percent', 'safety.timezone'] as const),
] as const

export const MAIL_SETTINGS = ['smtp.host', 'smtp.port', 'smtp.security', 'smtp.user', 'smtp.from'] as const

export const pick = (
  settings: readonly SettingRecord[] | undefined,
  names: readonly string[],
): readonly SettingRecord[] => names.flatMap((name) => settings?.find((setting) => setting.name === name) ?? [])
