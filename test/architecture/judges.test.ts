import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const JUDGES = resolve(import.meta.dirname, '../judges')
/** Those with packages of their own; a judge that needs nothing but Node has none. */
const names = readdirSync(JUDGES).filter((name) => existsSync(join(JUDGES, name, 'package.json')))

/** Where npm looks when a lockfile names no address. */
const REGISTRY = 'https://registry.npmjs.org/'

interface Manifest {
  dependencies?: Record<string, string>
  allowScripts?: Record<string, boolean>
}
interface Lock {
  packages: Record<string, { resolved?: string; integrity?: string; hasInstallScript?: boolean }>
}

describe.each(names)('the judge %s', (name) => {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(JUDGES, name, file), 'utf8'))
  const { dependencies = {}, allowScripts = {} } = read('package.json') as Manifest
  const { packages } = read('package-lock.json') as Lock
  const locked = Object.entries(packages).filter(([path]) => path !== '')

  test('has its packages pinned to one exact version', () => {
    expect(Object.values(dependencies).filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
  })

  test('takes packages from the public npm registry only, and knows their checksums', () => {
    const elsewhere = locked.filter(
      ([, { resolved = REGISTRY, integrity }]) => !resolved.startsWith(REGISTRY) || integrity === undefined,
    )
    expect(elsewhere).toEqual([])
  })

  test('says for each install script whether it may run', () => {
    const scripted = locked.filter(([, { hasInstallScript }]) => hasInstallScript)
    const unsaid = scripted
      .map(([path]) => path.replace(/^.*node_modules\//, ''))
      .filter((scripts) => !(scripts in allowScripts))
    expect(unsaid).toEqual([])
  })
})
