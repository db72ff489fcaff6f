import { unzipSync, zipSync, type FlateError, type Unzipped, type Zippable } from 'fflate/browser'

/**
 * Replaces the package `fflate` (electron.vite.config.ts), which packs and unpacks spreadsheets: for large files it
 * starts workers, which the content security policy forbids. Here everything runs in the page.
 */
export { strFromU8, strToU8, Unzip, unzipSync, zipSync } from 'fflate/browser'

type Done<T> = (error: FlateError | null, result: T) => void

export function unzip(data: Uint8Array, done: Done<Unzipped>): void {
  finish(() => unzipSync(data), done)
}

export function zip(files: Zippable, done: Done<Uint8Array>): void {
  finish(() => zipSync(files), done)
}

function finish<T>(act: () => T, done: Done<T>): void {
  let result: T
  try {
    result = act()
  } catch (error) {
    // Callers check the error first, as with the package itself.
    done(error as FlateError, undefined as T)
    return
  }
  done(null, result)
}
