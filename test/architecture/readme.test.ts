import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { withTables } from '../../resources/readme.mjs'

const ROOT = resolve(import.meta.dirname, '../..')

test('the README shows the settings as the code has them; npm run readme brings them up to date', () => {
  const readme = readFileSync(resolve(ROOT, 'README.md'), 'utf8')
  expect(withTables(readme)).toBe(readme)
  expect(readme).toContain('`SWITCHBOARD_PORT`')
})

test('every npm script the README names exists', () => {
  const { scripts } = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const readmes = ['README.md', 'main/README.md'].map((path) => readFileSync(resolve(ROOT, path), 'utf8')).join('\n')
  const named = [...readmes.matchAll(/npm run ([a-z]+)/g)].map(([, script]) => script ?? '')
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((script) => !(script in scripts))).toEqual([])
})
