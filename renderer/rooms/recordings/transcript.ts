import type { TranscriptLine } from '../../../main/contract/voice.ts'

/** The index of the line that is spoken at a position, or of the last line before it; -1 before the first line. */
export const lineAt = (lines: readonly TranscriptLine[], atMs: number): number =>
  lines.findLastIndex(({ start_ms }) => start_ms <= atMs)

const fold = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** A part of a line, and whether it matches the search. */
interface Piece {
  readonly text: string
  readonly isFound: boolean
}

/** Splits a line at the matches of a search, ignoring case and accents. */
export function piecesOf(text: string, query: string): readonly Piece[] {
  const wanted = fold(query.trim())
  if (wanted === '') return [{ text, isFound: false }]
  // The characters are folded one by one, so that a match can be mapped back to the original text.
  const letters = Array.from(text)
  const folded = letters.map(fold)
  const pieces: Piece[] = []
  const add = (from: number, to: number, isFound: boolean) => {
    if (to > from) pieces.push({ text: letters.slice(from, to).join(''), isFound })
  }
  let done = 0
  for (let at = 0; at < letters.length; at++) {
    const end = endOfMatch(folded, at, wanted)
    if (end === undefined || at < done) continue
    add(done, at, false)
    add(at, end, true)
    done = end
  }
  add(done, letters.length, false)
  return pieces
}

function endOfMatch(folded: readonly string[], from: number, wanted: string): number | undefined {
  let found = ''
  for (let at = from; at < folded.length && found.length < wanted.length; at++) {
    found += folded[at] ?? ''
    if (found === wanted) return at + 1
    if (!wanted.startsWith(found)) return undefined
  }
  return undefined
}

/** The indexes of the lines that match, in order. */
export const linesWith = (lines: readonly TranscriptLine[], query: string): readonly number[] => {
  const wanted = fold(query.trim())
  return wanted === '' ? [] : lines.flatMap(({ text }, index) => (fold(text).includes(wanted) ? [index] : []))
}

/** The transcript as plain text, for the clipboard. */
export const asText = (
  lines: readonly TranscriptLine[],
  nameOf: (speaker: TranscriptLine['speaker']) => string,
  timeOf: (ms: number) => string,
): string => lines.map(({ speaker, start_ms, text }) => `[${timeOf(start_ms)}] ${nameOf(speaker)}: ${text}`).join('\n')
