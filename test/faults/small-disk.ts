import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Why no small disk can be made here; undefined: it can. */
export const noSmallDisk =
  process.platform !== 'linux'
    ? 'a small disk is made by mounting a tmpfs, which is Linux'
    : process.getuid?.() !== 0
      ? 'mounting a tmpfs needs root'
      : undefined

/** A disk of its own in memory, of this many megabytes. */
export function smallDisk(megabytes: number): { readonly dir: string; remove(): void } {
  const dir = mkdtempSync(join(tmpdir(), 'switchboard-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', dir])
  return {
    dir,
    remove() {
      execFileSync('umount', [dir])
      rmSync(dir, { recursive: true })
    },
  }
}
