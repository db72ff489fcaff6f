import { en } from './locales/en.ts'
import { es } from './locales/es.ts'
import { ptBR } from './locales/pt-br.ts'
import type { OnboardingLocale } from './locales/shape.ts'

const LOCALES: readonly OnboardingLocale[] = [en, ptBR, es]

const primary = (tag: string) => tag.split('-')[0]?.toLowerCase()

/**
 * Picks the locale from Accept-Language: the pages run no script that could detect the language.
 * @param accepted Accept-Language as the browser sends it (RFC 9110 12.5.4): tags with optional weights.
 */
export function localeFor(accepted: string | undefined): OnboardingLocale {
  const wanted = (accepted ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((each) => each.trim())
      const weight = parameters.find((each) => each.startsWith('q='))
      return { tag, weight: weight === undefined ? 1 : Number(weight.slice(2)) }
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
  for (const { tag } of wanted) {
    const found = LOCALES.find(({ language }) => primary(language) === primary(tag))
    if (found) return found
  }
  return en
}
