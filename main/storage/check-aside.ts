import { StorageError } from '../kernel/db.ts'
import type { CheckCopy } from './backup.ts'
import { DamagedDatabaseError } from './integrity.ts'
import type { Look, LookThrough } from './look.ts'

/** Checks copies while everything else goes on; once it is to end, a copy that is not checked yet is none. */
export function checkAside(lookThrough: LookThrough): { readonly check: CheckCopy; end(): void } {
  const looks = new Set<Look>()
  let hasEnded = false
  return {
    async check(file) {
      if (hasEnded) throw unchecked()
      const look = lookThrough(file)
      looks.add(look)
      const found = await look.found.finally(() => looks.delete(look))
      if (found === null) throw unchecked()
      if (found.length > 0) throw new DamagedDatabaseError(file, found.join('; '))
    },
    end() {
      hasEnded = true
      for (const look of looks) look.end()
    },
  }
}

const unchecked = () => new StorageError('closed', 'The database was closed before the copy of it was checked')
