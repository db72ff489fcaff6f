import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('log lines are redacted and written to standard error', () => {
  const child = join(import.meta.dirname, 'logging-child.ts')
  const { stdout, stderr } = spawnSync(process.execPath, [child], { encoding: 'utf8' })
  expect(stdout).toBe('')
  expect(JSON.parse(stderr)).toMatchObject({
    event: 'request.failed',
    instanceId: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60',
    attempt: 2,
    cause: { name: 'Error', message: 'POST https://example.com/[…] from […] with Bearer […]' },
  })
  expect(stderr).not.toMatch(/token=abc|12025550100|swb_|hook/)
})
