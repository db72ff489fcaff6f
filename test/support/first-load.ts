import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'

const RENDERER = resolve(import.meta.dirname, '../../out/renderer')

interface FirstLoad {
  /** Names of the scripts, below the renderer's folder. */
  readonly scripts: readonly string[]
  readonly gzipBytes: number
}

/** The scripts of the built window without which nothing shows: what its page names, and all that they import at once. */
export function firstLoad(): FirstLoad {
  const page = readFileSync(join(RENDERER, 'index.html'), 'utf8')
  const named = [...page.matchAll(/(?:src|href)="\.\/([^"]+\.js)"/g)].map(([, name = '']) => name)
  const scripts = new Set<string>()
  for (const wanted = [...named]; wanted.length > 0;) {
    const name = wanted.pop() ?? ''
    if (scripts.has(name)) continue
    scripts.add(name)
    const text = readFileSync(join(RENDERER, name), 'utf8')
    // `import("./x.js")` comes later, when it is asked for.
    for (const [, found = ''] of text.matchAll(/(?:from|import)\s*["'](\.[^"']+\.js)["']/g))
      wanted.push(join(dirname(name), found))
  }
  const sizes = [...scripts].map((name) => gzipSync(readFileSync(join(RENDERER, name))).length)
  return { scripts: [...scripts].sort(), gzipBytes: sizes.reduce((sum, size) => sum + size, 0) }
}
