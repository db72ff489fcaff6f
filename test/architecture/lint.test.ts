import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../support/database.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const OXLINT = join(dirname(createRequire(import.meta.url).resolve('oxlint/package.json')), 'bin/oxlint')
/** A comment that switches a rule off. */
const DISABLED = /(?:\/\/|\/\*|<!--)\s*(?:eslint|oxlint)-disable.*/g

/** @returns the rules that `text` breaks by the configuration of this project. */
function broken(text: string): string[] {
  const folder = tempFolder()
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: { strict: true } }))
  writeFileSync(join(folder, 'planted.ts'), text)
  const config = ['--config', join(ROOT, '.oxlintrc.json'), '--format', 'json']
  const { stdout } = spawnSync(process.execPath, [OXLINT, ...config, 'planted.ts'], { cwd: folder, encoding: 'utf8' })
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string }[] }
  return diagnostics.map(({ code }) => code).toSorted()
}

test('the linter knows the types', () => {
  const text = `const late = async () => 1\nlate()\nexport const wrong = JSON.parse('{}').a\nif (late()) throw 'text'\n`
  expect(broken(text)).toEqual([
    'typescript(no-floating-promises)',
    'typescript(no-misused-promises)',
    'typescript(no-unnecessary-condition)',
    'typescript(no-unsafe-assignment)',
    'typescript(no-unsafe-member-access)',
    'typescript(only-throw-error)',
  ])
})

test('comments that disable a rule give a reason', () => {
  const files = globSync('{main,preload,renderer,resources,test}/**/*.{ts,vue,mjs}', {
    cwd: ROOT,
    exclude: ['**/node_modules/**', 'test/architecture/lint.test.ts'],
  })
  const comments = files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(DISABLED)].map(([text]) => `${file}: ${text}`),
  )
  expect(comments).not.toEqual([])
  expect(comments.filter((text) => !/\s--\s+\S/.test(text))).toEqual([])
})
