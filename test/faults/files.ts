import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const TEST = resolve(import.meta.dirname, '..')

/** Of a fault, wherever it stands. */
export const FAULT_ID = /\b[CSHXPDKARFL]-\d\d\b/g

/** Ids in the titles of a test file, which stand at the beginning of a text. */
function idsIn(file: string): string[] {
  const titles = readFileSync(file, 'utf8').match(/(?<=['"`])(?:[CSHXPDKARFL]-\d\d[ :])+/g) ?? []
  return titles.flatMap((title) => title.match(FAULT_ID) ?? [])
}

/** Every test file that causes a fault, with the ids of those it causes. */
export function faultFiles(): Map<string, string[]> {
  const files = readdirSync(TEST, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(test|slow|fault)\.ts$/.test(name))
    .map((name) => [join('test', name), idsIn(join(TEST, name))] as const)
  return new Map(files.filter(([, ids]) => ids.length > 0))
}
