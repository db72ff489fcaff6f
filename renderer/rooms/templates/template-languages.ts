import { namesOf } from '../../app/names.ts'

/** The languages in which Meta accepts templates, from its page "Supported languages". */
const CODES =
  'af sq ar az bn bg ca zh_CN zh_HK zh_TW hr cs da nl en en_GB en_US et fil fi fr ka de el gu ha he hi hu id ga it ja kn kk rw_RW ko ky_KG lo lv lt mk ms ml mr nb fa pl pt_BR pt_PT pa ro ru sr sk sl es es_AR es_ES es_MX sw sv ta te th tr uk ur uz vi zu'.split(
    ' ',
  )

/** @param also a language code of Meta that is not in the list yet. */
export function languageItems(locale: string, also: string): { value: string; label: string }[] {
  const nameOf = namesOf('language', locale)
  const codes = also === '' || CODES.includes(also) ? CODES : [also, ...CODES]
  return codes
    .map((value) => ({ value, label: `${nameIn(nameOf, value)} (${value})` }))
    .toSorted((a, b) => a.label.localeCompare(b.label, locale))
}

/** The name as shown in the list: “Portuguese (Brazil)”. */
export const languageName = (locale: string, code: string): string => nameIn(namesOf('language', locale), code)

/** “Portuguese (Brazil)”. Returns the code itself if it is not a language. */
function nameIn(nameOf: (code: string) => string, code: string): string {
  try {
    const name = nameOf(code.replace('_', '-'))
    return name.charAt(0).toUpperCase() + name.slice(1)
  } catch {
    return code
  }
}

/** Meta’s code for the language of the window. */
export const templateLanguage = (locale: string): string =>
  locale === 'pt-BR' ? 'pt_BR' : (locale.split('-')[0] ?? 'en')
