const MAX_LENGTH = 255
/** Control characters, and invisible characters that reorder or hide what a person reads. */
const UNSAFE = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu

/**
 * The name a stranger gave a file, made safe to show and to save: base name only, no invisible characters, no leading dots.
 * @returns null if nothing is left.
 */
export function safeFilename(name: string | null | undefined): string | null {
  const base = (name ?? '').toWellFormed().replaceAll(UNSAFE, '').split(/[/\\]/).at(-1) ?? ''
  const trimmed = base.trim().replace(/^\.+/, '').trim()
  if (trimmed.length <= MAX_LENGTH) return trimmed || null
  const extension = /\.[^.]{1,16}$/.exec(trimmed)?.[0] ?? ''
  return trimmed.slice(0, MAX_LENGTH - extension.length).toWellFormed() + extension
}
