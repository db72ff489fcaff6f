import { readFileSync, renameSync, writeFileSync } from 'node:fs'

/** @returns undefined if it cannot be read or is not JSON: the content of such files is dispensable. */
export function readSmallFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown
  } catch {
    return undefined
  }
}

/** Replaces the file atomically, readable by this user only. */
export function writeSmallFile(file: string, content: object): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(content)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
