import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const CHUNKS = resolve(import.meta.dirname, '../../out/main/chunks')

/** Packages that the built service imports before it listens: each costs every start time and memory. */
function packagesAtStart(): string[] {
  const first = readdirSync(CHUNKS).find((name) => /^service-.*\.js$/.test(name))
  if (first === undefined) throw new Error(`There is no chunk of the service in ${CHUNKS}.`)
  const seen = new Set<string>()
  const packages = new Set<string>()
  for (const waiting = [first]; waiting.length > 0;) {
    const name = waiting.pop() ?? ''
    if (seen.has(name)) continue
    seen.add(name)
    // `import(…)` loads later; only statements at the start of a line are read.
    const text = readFileSync(join(CHUNKS, name), 'utf8')
    for (const [, found = ''] of text.matchAll(/^(?:import|export)\b[^"'\n;]*["']([^"']+)["'];?$/gm)) {
      if (found.startsWith('./')) waiting.push(found.slice(2))
      else if (!found.startsWith('node:') && !found.startsWith('.') && !builtinModules.includes(found))
        packages.add(
          found
            .split('/')
            .slice(0, found.startsWith('@') ? 2 : 1)
            .join('/'),
        )
    }
  }
  return [...packages].toSorted()
}

it('the service loads only these packages at its start, and all others on first use', () => {
  expect(packagesAtStart()).toEqual([
    'ajv',
    'better-sqlite3',
    'canonicalize',
    'fastify',
    'ipaddr.js',
    'pino',
    'undici',
    'ws',
  ])
})
