import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mustAgree, type Court, type Judge } from '../court.ts'
import { openAuthProxy } from './auth-proxy.ts'
import { openFixture } from './house.ts'

const REVISIONS = ['2026-07-28', '2025-11-25'] as const

/** Scenarios that need nothing but a server: these the product itself must pass. */
const WITHOUT_FIXTURE: Record<(typeof REVISIONS)[number], readonly string[]> = {
  '2026-07-28': [
    ...['server-stateless', 'tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection', 'caching'],
    ...['sep-2164-resource-not-found', 'http-header-validation'],
  ],
  '2025-11-25': [
    ...['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection'],
    ...['server-session-lifecycle'],
  ],
}

/**
 * The official suite, in both protocol revisions: everything a revision requires, on our transport with a fixture
 * behind it, because most scenarios call names that no product has; and what needs no such names on the product.
 */
export const judge: Judge = {
  about: 'MCP by the official conformance suite, both revisions, our transport and the product',
  async judge(court: Court) {
    const fixture = await openFixture(court.key)
    const proxies = [await openAuthProxy(fixture.url, court.key), await openAuthProxy(court.url, court.key)] as const
    try {
      const [ours, product] = proxies
      for (const revision of REVISIONS) await required(court, ours.url, revision)
      for (const revision of REVISIONS) {
        for (const scenario of WITHOUT_FIXTURE[revision]) await alone(court, product.url, revision, scenario)
      }
    } finally {
      for (const proxy of proxies) proxy.close()
      await fixture.close()
    }
    return `${checksPassed(court.dir)} checks passed`
  },
}

async function required({ tool, dir }: Court, url: string, revision: string): Promise<void> {
  const args = ['server', '--url', `${url}/mcp`, '--requirements', revision, '-o', join(dir, `required-${revision}`)]
  mustAgree(`conformance --requirements ${revision}, on our transport`, await tool('conformance', args))
}

async function alone({ tool, dir, folder }: Court, url: string, revision: string, scenario: string): Promise<void> {
  const heard = await tool('conformance', [
    ...['server', '--url', `${url}/mcp`, '--scenario', scenario, '--spec-version', revision],
    ...['--expected-failures', join(folder, 'expected-failures.yaml'), '-o', join(dir, `${scenario}-${revision}`)],
  ])
  mustAgree(`conformance ${scenario} ${revision}, on the product`, heard)
}

/** The suite leaves a checks.json for each scenario. */
function checksPassed(dir: string): number {
  const files = readdirSync(dir, { recursive: true }).map(String)
  const checks = files
    .filter((file) => file.endsWith('checks.json'))
    .flatMap((file) => JSON.parse(readFileSync(join(dir, file), 'utf8')) as { status: string }[])
  return checks.filter(({ status }) => status === 'SUCCESS').length
}
