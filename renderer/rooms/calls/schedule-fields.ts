import { LIMITS } from '../../../main/contract/limits.ts'
import { digitsOf } from '../messages/number.ts'
import type { NumberList } from './call-numbers.ts'

export const UNITS_MS = { seconds: 1_000, minutes: 60_000, hours: 3_600_000 } as const
export type IntervalUnit = keyof typeof UNITS_MS

/** The form's input. */
export interface ScheduleFields {
  mode: 'one' | 'many'
  instanceId: string | undefined
  agentId: string | undefined
  /** As it was written. */
  to: string
  isLater: boolean
  /** Value of a date and time field: local, without a zone. */
  at: string
  every: number
  unit: IntervalUnit
}

export type FieldErrors = Partial<Record<'instance' | 'agent' | 'to' | 'list' | 'at' | 'every', string>>

const DAY_MS = 86_400_000
const MOST_INTERVAL_MS = DAY_MS
/** Time fields have whole minutes, so the current minute is accepted. */
const MINUTE_MS = 60_000

export const intervalMsOf = ({ every, unit }: Pick<ScheduleFields, 'every' | 'unit'>): number => every * UNITS_MS[unit]

/** Time of the first call; NaN while the field is incomplete. */
export const startOf = ({ isLater, at }: Pick<ScheduleFields, 'isLater' | 'at'>, nowMs: number): number =>
  isLater ? Date.parse(at) : nowMs

/** Errors of the form by field, as the last part of a locale key. */
export function findErrors(fields: ScheduleFields, list: NumberList | undefined, nowMs: number): FieldErrors {
  const found: readonly (readonly [keyof FieldErrors, string | undefined])[] = [
    ['instance', fields.instanceId === undefined ? 'instance' : undefined],
    ['agent', fields.agentId === undefined ? 'agent' : undefined],
    ['to', fields.mode === 'one' && digitsOf(fields.to) === undefined ? 'to' : undefined],
    ['list', fields.mode === 'many' ? listError(list) : undefined],
    ['at', fields.isLater ? timeError(startOf(fields, nowMs), nowMs) : undefined],
    ['every', fields.mode === 'many' && !isInterval(intervalMsOf(fields)) ? 'every' : undefined],
  ]
  return Object.fromEntries(found.filter(([, code]) => code !== undefined))
}

function listError(list: NumberList | undefined): string | undefined {
  if (list === undefined || list.numbers.length === 0) return 'none'
  return list.numbers.length > LIMITS.voiceBatch ? 'tooMany' : undefined
}

function timeError(atMs: number, nowMs: number): string | undefined {
  if (Number.isNaN(atMs)) return 'noTime'
  if (atMs < nowMs - MINUTE_MS) return 'past'
  return atMs > nowMs + LIMITS.voiceDaysAhead * DAY_MS ? 'tooFar' : undefined
}

const isInterval = (ms: number): boolean => Number.isFinite(ms) && ms >= 0 && ms <= MOST_INTERVAL_MS
