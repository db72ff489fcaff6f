import type { FieldMapping } from '../../../main/contract/crm.ts'

/** A row of the editor; one without a target is left out. */
export interface FieldRow {
  from: FieldMapping['from']
  to: string
}

export const FIELD_SOURCES = [
  'name',
  'profile_name',
  'tags',
  'instance_name',
  'instance_number',
] as const satisfies readonly FieldMapping['from'][]

const TARGET = /^[A-Za-z0-9_.-]{1,100}$/

export const toRows = (map: readonly FieldMapping[]): FieldRow[] => map.map(({ from, to }) => ({ from, to }))

export const toMap = (rows: readonly FieldRow[]): FieldMapping[] =>
  rows.map(({ from, to }) => ({ from, to: to.trim() })).filter(({ to }) => to !== '')

/** Indexes of rows with an invalid field name. */
export const wrongRows = (rows: readonly FieldRow[]): number[] =>
  rows.flatMap(({ to }, at) => (to.trim() === '' || TARGET.test(to.trim()) ? [] : [at]))
