import type { BrandColors, Theme } from './brand.ts'

/** Minimum contrast: 4.5 for text (WCAG 2.2, 1.4.3). */
const LEAST_CONTRAST = 4.5
const STEPS = 40
const DEFAULT_PRIMARY = '#0f766e'

type Rgb = readonly [number, number, number]

/** The colors of a page in both modes. A color that would be unreadable is shifted toward black or white until it is not. */
export function themeOf(colors: BrandColors): { light: Theme; dark: Theme } {
  const wanted = colors.primary ?? DEFAULT_PRIMARY
  return { light: pageOf(colors.background ?? '#ffffff', wanted), dark: pageOf('#0f1416', wanted) }
}

function pageOf(background: string, wanted: string): Theme {
  const isDark = contrast(background, '#ffffff') >= contrast(background, '#000000')
  const text = isDark ? '#f4f6f7' : '#14191b'
  // No text color is readable on a medium background, so the background is changed.
  const ground = readable(background, text)
  const primary = readable(wanted, ground)
  const on_primary = textColorOn(primary)
  const surface = mix(ground, text, 0.06)
  return {
    background: ground,
    surface: contrast(surface, text) >= LEAST_CONTRAST ? surface : ground,
    text,
    muted: readable(mix(ground, text, 0.65), ground),
    primary,
    on_primary,
  }
}

/** White if readable on the color, otherwise black: one of both always is. */
export const textColorOn = (color: string): '#ffffff' | '#000000' =>
  contrast(color, '#ffffff') >= LEAST_CONTRAST ? '#ffffff' : '#000000'

/** The color, moved away from the other until they are readable on each other. */
function readable(color: string, other: string): string {
  const toward = contrast(other, '#ffffff') > contrast(other, '#000000') ? '#ffffff' : '#000000'
  for (let step = 0; step <= STEPS; step++) {
    const tried = mix(color, toward, step / STEPS)
    if (contrast(tried, other) >= LEAST_CONTRAST) return tried
  }
  return toward
}

export function contrast(one: string, other: string): number {
  const [a, b] = [luminance(rgb(one)), luminance(rgb(other))]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

const luminance = (color: Rgb): number => {
  const [r, g, b] = color.map((value) => {
    const part = value / 255
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as unknown as Rgb
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

const rgb = (hex: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb

function mix(from: string, to: string, share: number): string {
  const [one, other] = [rgb(from), rgb(to)]
  const part = (at: 0 | 1 | 2) =>
    Math.round(one[at] + (other[at] - one[at]) * share)
      .toString(16)
      .padStart(2, '0')
  return `#${part(0)}${part(1)}${part(2)}`
}
