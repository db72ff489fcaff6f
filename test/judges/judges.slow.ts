import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inherited } from '../support/service-process.ts'
import { run } from './court.ts'

/**
 * `npm run judge` as part of `npm test`, one judge after another. The first run of each installs its packages; what a
 * judge objects to is in the failure, as it said it.
 */
const names = readdirSync(import.meta.dirname).filter((name) => existsSync(join(import.meta.dirname, name, 'judge.ts')))

/** Installing may take five minutes of these. */
const SECONDS = 540

const ENVIRONMENT = {
  ...inherited,
  // A change fails for what it changed: `npm run judge prism` is the one that looks further, with a seed of its own.
  JUDGE_SEED: process.env['JUDGE_SEED'] ?? '20261120',
  // Tools of the judges behave otherwise when they believe that they are tested.
  NODE_ENV: undefined,
  VITEST: undefined,
}

describe('before the judge', () => {
  test.each(names)('%s the built service stands', { timeout: (SECONDS + 20) * 1_000 }, async (name) => {
    const judge = join(import.meta.dirname, 'run.ts')
    const cwd = resolve(import.meta.dirname, '../..')
    const { code, out, err } = await run(process.execPath, [judge, name], { cwd, env: ENVIRONMENT, seconds: SECONDS })
    if (code !== 0) expect.fail(`${out}\n${err}`)
  })
})
