import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { withTables } from '../../resources/readme.mjs'

const ROOT = resolve(import.meta.dirname, '../..')

test('the README shows settings and effects as the code has them; npm run readme brings them up to date', () => {
  const readme = readFileSync(resolve(ROOT, 'README.md'), 'utf8')
  expect(withTables(readme)).toBe(readme)
  expect(readme).toContain('`SWITCHBOARD_PORT`')
  expect(readme).toContain('| `people_later` |')
})

test('every npm script the README names exists', () => {
  const { scripts } = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const readmes = ['README.md', 'main/README.md'].map((path) => readFileSync(resolve(ROOT, path), 'utf8')).join('\n')
  const named = [...readmes.matchAll(/npm run ([a-z]+(?::[a-z]+)?)/g)].map(([, script]) => script ?? '')
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((script) => !(script in scripts))).toEqual([])
})

test('the map in main/README.md names every folder, every file beside them, and every room', () => {
  const map = readFileSync(join(ROOT, 'main', 'README.md'), 'utf8')
  const rooms = readdirSync(join(ROOT, 'main', 'capabilities'), { withFileTypes: true })
  const names = [
    ...readdirSync(join(ROOT, 'main'), { withFileTypes: true }).filter(({ name }) => name !== 'README.md'),
    ...rooms.filter((entry) => entry.isDirectory()),
  ].map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
  expect(names.length).toBeGreaterThan(20)
  expect(names.filter((name) => !map.includes(`\`${name}\``))).toEqual([])
})

test('every path in the map exists', () => {
  const map = readFileSync(join(ROOT, 'main', 'README.md'), 'utf8')
  const paths = [...map.matchAll(/`((?:test|resources|renderer|[a-z-]+)\/[\w./-]*)`/g)].map(([, path]) => path ?? '')
  const places = ['.', 'main', 'main/capabilities', 'main/engines', 'main/faces', 'main/storage']
  expect(paths.length).toBeGreaterThan(40)
  expect(paths.filter((path) => !places.some((place) => existsSync(join(ROOT, place, path))))).toEqual([])
})
