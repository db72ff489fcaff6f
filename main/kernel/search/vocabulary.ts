import { distance } from './distance.ts'
import { soundOf } from './stem.ts'

/** A word that may be meant by another one. */
interface Near {
  readonly term: number
  /** 1 for the word itself, less for another spelling. */
  readonly quality: number
}

/** The stems of an index, numbered from 0. */
export interface Vocabulary {
  readonly size: number
  add(stem: string): number
  of(stem: string): number | undefined
  /** Terms that a misspelt or inflected stem may stand for, without the stem itself. */
  near(stem: string): readonly Near[]
}

const SAME_SOUND = 0.92
const SAME_BEGINNING = 0.75
const ONE_LETTER = 0.82
const TWO_LETTERS = 0.62
const NEAR_AT_MOST = 6
/** Shorter words have too many neighbours that mean something else. */
const SHORTEST = { oneLetter: 4, twoLetters: 7, beginning: 4 }

export function createVocabulary(): Vocabulary {
  const terms: string[] = []
  const ids = new Map<string, number>()
  /** The last term of each sound, and for each term the one before that sounds alike. */
  const lastOfSound = new Map<string, number>()
  const alikeBefore: (number | undefined)[] = []
  const byPart = new Map<string, number[]>()

  /** Terms with enough letter groups in common to be within two letters, or to begin alike. */
  function candidates(stem: string): number[] {
    const shared = new Map<number, number>()
    for (const part of partsOf(stem)) for (const id of byPart.get(part) ?? []) shared.set(id, (shared.get(id) ?? 0) + 1)
    const enough = Math.max(1, Math.floor(stem.length / 2) - 1)
    return [...shared].filter(([, count]) => count >= enough).map(([id]) => id)
  }

  /** In the order in which they were added. */
  function withSound(sound: string): number[] {
    const found: number[] = []
    for (let id = lastOfSound.get(sound); id !== undefined; id = alikeBefore[id]) found.push(id)
    return found.reverse()
  }

  return {
    get size() {
      return terms.length
    },
    add(stem) {
      const known = ids.get(stem)
      if (known !== undefined) return known
      const id = terms.push(stem) - 1
      ids.set(stem, id)
      const sound = soundOf(stem)
      alikeBefore.push(lastOfSound.get(sound))
      lastOfSound.set(sound, id)
      for (const part of partsOf(stem)) push(byPart, part, id)
      return id
    },
    of: (stem) => ids.get(stem),
    near(stem) {
      if (/\d/.test(stem)) return []
      const found = new Map<number, number>()
      for (const id of withSound(soundOf(stem))) found.set(id, SAME_SOUND)
      for (const id of candidates(stem)) {
        const quality = likeness(stem, terms[id] ?? '')
        if (quality > (found.get(id) ?? 0)) found.set(id, quality)
      }
      const self = ids.get(stem)
      if (self !== undefined) found.delete(self)
      return [...found]
        .map(([term, quality]) => ({ term, quality }))
        .toSorted((a, b) => b.quality - a.quality)
        .slice(0, NEAR_AT_MOST)
    },
  }
}

function likeness(stem: string, term: string): number {
  const shorter = Math.min(stem.length, term.length)
  if (/\d/.test(term)) return 0
  const most = shorter >= SHORTEST.twoLetters ? 2 : shorter >= SHORTEST.oneLetter ? 1 : 0
  const away = most === 0 ? 1 : distance(stem, term, most)
  // The first letter is rarely the wrong one.
  const isSameStart = stem[0] === term[0]
  if (away <= most && (isSameStart || shorter > SHORTEST.oneLetter)) {
    const quality = away === 1 ? ONE_LETTER : TWO_LETTERS
    return isSameStart ? quality : quality * 0.85
  }
  const begins = stem.startsWith(term) || term.startsWith(stem)
  return shorter >= SHORTEST.beginning && begins && Math.abs(stem.length - term.length) <= 3 ? SAME_BEGINNING : 0
}

/** Groups of two letters, so that one wrong letter leaves enough of them. */
function partsOf(stem: string): Set<string> {
  const marked = `^${stem}`
  return new Set(Array.from({ length: marked.length - 1 }, (_, at) => marked.slice(at, at + 2)))
}

function push(map: Map<string, number[]>, key: string, id: number): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, [id])
  else known.push(id)
}
