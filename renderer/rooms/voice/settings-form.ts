import type { VoiceSettings, VoiceSettingsPatch } from '../../../main/contract/voice.ts'

/** What the form shows of the settings of a number. */
export interface SettingsForm {
  receive: boolean
  /** Empty: the primary agent. */
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
  /** 0: recordings are kept. */
  keepDays: number
}

const WORKDAYS = [1, 2, 3, 4, 5]
/** A field of a time knows no 24:00. */
const [MIDNIGHT, DAY_END] = ['00:00', '24:00']

/** @param zone of this computer, for hours that were never set. */
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

/** How long recordings may be kept; what is set already is always among them. */
export const keepChoices = (current: number): number[] =>
  [...new Set([0, 7, 30, 90, 180, 365, current])].toSorted((a, b) => a - b)
