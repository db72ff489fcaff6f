import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const { scripts } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8')) as {
  scripts: Readonly<Record<string, string>>
}

/**
 * What `npm run serve` gives to Node itself, so that tests measure the service that users run. The one flag limits V8's
 * space for new objects to 32 MiB. Without it that space grows to 128 MiB under load and is kept.
 */
export const NODE_FLAGS = flagsOf('serve')

function flagsOf(name: string): readonly string[] {
  const given = new RegExp(`^node (.*)resources/run.mjs ${name}$`).exec(scripts[name] ?? '')?.[1]
  if (given === undefined) throw new Error(`the script ${name} of package.json has another form`)
  return given.split(' ').filter((word) => word !== '')
}
