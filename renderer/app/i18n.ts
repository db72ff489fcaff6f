import { createI18n } from 'vue-i18n'

/** Languages of the console; the first is what every other is measured against (a test compares their keys). */
export const LANGUAGES = ['en', 'pt-BR', 'es'] as const
export type Language = (typeof LANGUAGES)[number]

const KEPT_AS = 'switchboard.language'

type Words = { readonly [key: string]: string | Words }

/** `locales/<language>/<room>.json`: the words of a room lie under its name. */
const files = import.meta.glob<Words>('../locales/*/*.json', { eager: true, import: 'default' })

function wordsOf(language: Language): Words {
  const rooms: Record<string, Words> = {}
  for (const [path, words] of Object.entries(files)) {
    const [, folder, room] = /locales\/([^/]+)\/([^/]+)\.json$/.exec(path) ?? []
    if (folder === language && room !== undefined) rooms[room] = words
  }
  return rooms
}

/** What the person chose, else the first language of the system that we speak, else English. */
function firstLanguage(): Language {
  const wanted = [localStorage.getItem(KEPT_AS), ...navigator.languages].filter((tag) => tag !== null)
  for (const tag of wanted) {
    const found =
      LANGUAGES.find((own) => own === tag) ?? LANGUAGES.find((own) => own.split('-')[0] === tag.split('-')[0])
    if (found !== undefined) return found
  }
  return 'en'
}

export const i18n = createI18n({
  legacy: false,
  locale: firstLanguage(),
  fallbackLocale: 'en',
  messages: Object.fromEntries(LANGUAGES.map((language) => [language, wordsOf(language)])),
})

document.documentElement.lang = i18n.global.locale.value

export function chooseLanguage(language: Language): void {
  i18n.global.locale.value = language
  document.documentElement.lang = language
  localStorage.setItem(KEPT_AS, language)
}
