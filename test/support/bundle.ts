import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** What a built entry needs to run. */
export interface Reached {
  /** Files of the bundle, relative to `folder`, chunks loaded later included. */
  readonly files: ReadonlySet<string>
  /** Packages as they are named there, such as `ajv/dist/2020.js`. */
  readonly specifiers: ReadonlySet<string>
}

/** A name of a file or a package; code also holds the word in front of other quoted texts. */
const IMPORTS = /(?:\bfrom\s*|\bimport\s*\(?\s*)["']([@.\w][\w@./-]*(?::[\w/]+)?)["']/g

/** Follows every import of the built files, also those made only when something is first asked for. */
export function reachedFrom(folder: string, entry: string): Reached {
  const [files, specifiers] = [new Set<string>(), new Set<string>()]
  function follow(file: string): void {
    if (files.has(file)) return
    files.add(file)
    for (const [, name = ''] of readFileSync(join(folder, file), 'utf8').matchAll(IMPORTS)) {
      if (name.startsWith('.')) follow(normalize(join(dirname(file), name)))
      else if (!name.startsWith('node:')) specifiers.add(name)
    }
  }
  follow(entry)
  return { files, specifiers }
}

type Wanted = 'dependencies' | 'optionalDependencies' | 'peerDependencies'

/** `packages` of a lockfile. */
export type LockedPackages = Readonly<
  Record<string, { readonly version: string } & { readonly [K in Wanted]?: Readonly<Record<string, string>> }>
>

/** These packages and all they depend on, as `name@version`. A packager may place them otherwise than the lockfile does. */
export function withDependencies(locked: LockedPackages, names: Iterable<string>): ReadonlySet<string> {
  const folders = new Set<string>()
  function add(folder: string): void {
    if (folders.has(folder)) return
    folders.add(folder)
    const { dependencies, optionalDependencies, peerDependencies } = locked[folder] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const found = placeOf(folder, name)
      if (found !== undefined) add(found)
    }
  }
  function placeOf(from: string, name: string): string | undefined {
    for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
      const folder = `${at === '' ? '' : `${at}/`}node_modules/${name}`
      if (folder in locked) return folder
      if (at === '') return undefined
    }
  }
  for (const name of names) add(`node_modules/${name}`)
  return new Set([...folders].map((folder) => `${nameOf(folder)}@${locked[folder]?.version ?? '?'}`))
}

/** `node_modules/a/node_modules/@b/c` → `@b/c`. */
export const nameOf = (folder: string): string => folder.slice(folder.lastIndexOf('node_modules/') + 13)

/** `@scope/name/file.js` → `@scope/name`. */
export const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
