import { findColumn } from '../../main/contract/list-columns.ts'

/** A field that an import can fill. */
export interface ImportField {
  readonly key: string
  readonly label: string
  readonly isRequired: boolean
  /** Other names of its column, in any language. */
  readonly aliases: readonly string[]
}

/** A column of the file, as the service read it. */
export interface FileColumn {
  readonly name: string
  /** Its values in the first rows. */
  readonly samples: readonly string[]
}

/** Column index of each assigned field. Two fields never share a column. */
export type ColumnMapping = Readonly<Record<string, number>>

/** Matches columns to fields by name, ignoring case, accents and punctuation. */
export function guessMapping(fields: readonly ImportField[], columns: readonly FileColumn[]): ColumnMapping {
  const header = columns.map(({ name }) => name)
  let mapping: ColumnMapping = {}
  for (const { key, label, aliases } of fields) {
    const index = findColumn(header, [key, label, ...aliases], Object.values(mapping))
    if (index >= 0) mapping = { ...mapping, [key]: index }
  }
  return mapping
}

/** @param index undefined: clears the field. Another field with this column loses it. */
export function assignColumn(mapping: ColumnMapping, key: string, index: number | undefined): ColumnMapping {
  const others = Object.entries(mapping).filter(([other, at]) => other !== key && at !== index)
  return Object.fromEntries(index === undefined ? others : [...others, [key, index]])
}

/** Required fields without a column. */
export const listMissing = (fields: readonly ImportField[], mapping: ColumnMapping): readonly ImportField[] =>
  fields.filter(({ key, isRequired }) => isRequired && mapping[key] === undefined)

/** Columns that no field uses. */
export const listUnused = (columns: readonly FileColumn[], mapping: ColumnMapping): readonly FileColumn[] =>
  columns.filter((_, index) => !Object.values(mapping).includes(index))
