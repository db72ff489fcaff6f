import type { VoiceSettings, VoiceSettingsPatch } from '../../../main/contract/voice.ts'

/** The voice settings of a number as the form shows them. */
export interface SettingsForm {
  receive: boolean
  /** Empty means the primary agent. */
  agent: string
  announcement: string
  hasHours: boolean
  start: string
  end: string
  days: number[]
  timezone: string
  summary: boolean
  emails: string[]
  coach: boolean
  /** 0 keeps recordings without limit. */
  keepDays: number
}

const WORKDAYS = [1, 2, 3, 4, 5]
/** A time field has no 24:00, so 00:00 is used for the end of the day. */
const [MIDNIGHT, DAY_END] = ['00:00', '24:00']

/** @param zone the time zone of this computer, used if no hours were ever set. */
export function settingsFormOf(settings: VoiceSettings, zone: string): SettingsForm {
  const { calling_hours: hours } = settings
  return {
    receive: settings.receive_enabled,
    agent: settings.receive_agent_id ?? '',
    announcement: settings.announcement ?? '',
    hasHours: hours !== null,
    start: hours?.start ?? '09:00',
    end: hours === null ? '18:00' : hours.end === DAY_END ? MIDNIGHT : hours.end,
    days: [...(hours?.days ?? WORKDAYS)],
    timezone: hours?.timezone ?? zone,
    summary: settings.summary_enabled,
    emails: [...settings.summary_emails],
    coach: settings.coach_enabled,
    keepDays: settings.keep_recordings_days ?? 0,
  }
}

export function settingsBodyOf(form: SettingsForm): Required<VoiceSettingsPatch> {
  const announcement = form.announcement.trim()
  const { start, days, timezone } = form
  return {
    receive_enabled: form.receive,
    receive_agent_id: form.agent === '' ? null : form.agent,
    announcement: announcement === '' ? null : announcement,
    calling_hours: form.hasHours ? { start, end: endOf(form), timezone, days } : null,
    summary_enabled: form.summary,
    summary_emails: form.emails.map((email) => email.trim()),
    coach_enabled: form.coach,
    keep_recordings_days: form.keepDays === 0 ? null : form.keepDays,
  }
}

const endOf = ({ end }: Pick<SettingsForm, 'end'>): string => (end === MIDNIGHT ? DAY_END : end)

const EMAIL = /^[^\s@<>,;]+@[^\s@<>,;]+$/
export const listBadEmails = ({ emails }: Pick<SettingsForm, 'emails'>): string[] =>
  emails.filter((email) => !EMAIL.test(email.trim()))

export const hasBadHours = (form: SettingsForm): boolean => form.hasHours && endOf(form) === form.start

/** The choices for how long recordings are kept. The current value is always included. */
export const keepChoices = (current: number): number[] =>
  [...new Set([0, 7, 30, 90, 180, 365, current])].toSorted((a, b) => a - b)
