/** A photo inside a card can be larger than the rest of a conversation. */
const LARGEST_CHARS = 16_384

/** A contact card as people read it. @param shownName what the sender's phone called it. */
export function toContact(vcard: string | null | undefined, shownName: string | null | undefined) {
  const lines = unfolded(vcard ?? '')
  const name = shownName || valuesOf(lines, 'FN')[0]?.value || ''
  const numbers = valuesOf(lines, 'TEL').map(({ parameters, value }) => {
    const known = /(?:^|;)waid=(\d+)/i.exec(parameters)?.[1]
    return known ?? value.replaceAll(/[^\d+]/g, '')
  })
  return { name, numbers: [...new Set(numbers.filter((number) => number !== ''))], vcard: storable(vcard, lines) }
}

/** A long line continues on the next one, which then begins with a space. */
const unfolded = (vcard: string): string[] => vcard.replaceAll(/\r?\n[ \t]/g, '').split(/\r?\n/)

interface Value {
  readonly parameters: string
  readonly value: string
}

function valuesOf(lines: readonly string[], property: string): Value[] {
  return lines.flatMap((line) => {
    // `item1.TEL;type=CELL:+1 …`: the part before the dot only groups lines.
    const found = /^(?:[\w-]+\.)?([\w-]+)(;[^:]*)?:(.*)$/.exec(line)
    return found?.[1]?.toUpperCase() === property ? [{ parameters: found[2] ?? '', value: found[3]?.trim() ?? '' }] : []
  })
}

function storable(vcard: string | null | undefined, lines: readonly string[]): string | null {
  if (!vcard) return null
  if (vcard.length <= LARGEST_CHARS) return vcard
  const withoutPhoto = lines.filter((line) => !/^(?:[\w-]+\.)?PHOTO[;:]/i.test(line)).join('\r\n')
  return withoutPhoto.length <= LARGEST_CHARS ? withoutPhoto : null
}
