import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take a minute or more, longest first. If one started last, the whole run would wait for it. */
const LONGEST = [
  ...['window/accessibility-overlays', 'window/accessibility', 'judges/judges', 'bench/bench'],
  ...['engines/smv2/pairing-window', 'engines/smv2/passkey-faults', 'headless/person-keys', 'headless/voice-crash'],
  ...['window/widths', 'architecture/example-room', 'window/people', 'window/languages', 'headless/smv2-in-flight'],
  ...['capabilities/ai/hostile-model', 'window/leaving', 'faces/event-loop', 'window/unsaved'],
].map((name) => `/test/${name}.slow.ts`)

const root = resolve(import.meta.dirname, '../..')
const missing = LONGEST.filter((name) => !existsSync(root + name))
if (missing.length > 0)
  throw new Error(`test/config/longest-first.ts names files that are not there: ${missing.join(', ')}`)

/** Without a cache, Vitest would start with the largest files. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => place(one) - place(other))
  }
}

function place({ moduleId }: TestSpecification): number {
  const at = LONGEST.findIndex((name) => moduleId.endsWith(name))
  return at === -1 ? LONGEST.length : at
}
