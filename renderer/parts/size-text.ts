const UNITS = [
  ['gigabyte', 1_000_000_000],
  ['megabyte', 1_000_000],
  ['kilobyte', 1_000],
] as const

/** `1.2 MB`, in the language's way of writing numbers. */
export function sizeText(bytes: number, locale: string): string {
  const [unit, one] = UNITS.find(([, ofUnit]) => bytes >= ofUnit) ?? (['byte', 1] as const)
  const size = bytes / one
  // Short, English has no plural of it: “617 byte”.
  const unitDisplay = unit === 'byte' ? 'long' : 'short'
  const maximumFractionDigits = size < 10 ? 1 : 0
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay, maximumFractionDigits }).format(size)
}
