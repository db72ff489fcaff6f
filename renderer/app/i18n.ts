import { createI18n } from 'vue-i18n'

/** Languages of the console. A test compares the keys of all others with those of the first. */
export const LANGUAGES = ['en', 'pt-BR', 'es'] as const
export type Language = (typeof LANGUAGES)[number]

const STORAGE_KEY = 'switchboard.language'

type Words = { readonly [key: string]: string | Words }

/** `locales/<language>/<room>.json`: the words of a room are keyed by its name. */
const files = import.meta.glob<Words>('../locales/*/*.json', { eager: true, import: 'default' })

function wordsOf(language: Language): Words {
  const rooms: Record<string, Words> = {}
  for (const [path, words] of Object.entries(files)) {
    const [, folder, room] = /locales\/([^/]+)\/([^/]+)\.json$/.exec(path) ?? []
    if (folder === language && room !== undefined) rooms[room] = words
  }
  return rooms
}

/** The person's choice, else the first system language we support, else English. */
function firstLanguage(): Language {
  const wanted = [localStorage.getItem(STORAGE_KEY), ...navigator.languages].filter((tag) => tag !== null)
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
  localStorage.setItem(STORAGE_KEY, language)
}
