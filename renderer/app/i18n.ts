import { createI18n } from 'vue-i18n'
import { LANGUAGES, type Language } from './languages.ts'
import type { Words } from './words/by-room.ts'

const STORAGE_KEY = 'switchboard.language'

/** Loaded on demand: a person reads one language, and all of them would triple the texts of the first load. */
const WORDS: Readonly<Record<Language, () => Promise<{ default: Words }>>> = {
  en: () => import('./words/en.ts'),
  'pt-BR': () => import('./words/pt-BR.ts'),
  es: () => import('./words/es.ts'),
}

/** The person's choice, otherwise the first supported system language, otherwise English. */
function firstLanguage(): Language {
  const wanted = [localStorage.getItem(STORAGE_KEY), ...navigator.languages].filter((tag) => tag !== null)
  for (const tag of wanted) {
    const found =
      LANGUAGES.find((own) => own === tag) ?? LANGUAGES.find((own) => own.split('-')[0] === tag.split('-')[0])
    if (found !== undefined) return found
  }
  return 'en'
}

export const i18n = createI18n({ legacy: false, locale: firstLanguage(), messages: {} as Record<Language, Words> })

async function load(language: Language): Promise<void> {
  if (i18n.global.availableLocales.includes(language)) return
  const { default: words } = await WORDS[language]()
  i18n.global.setLocaleMessage(language, words)
}

/** Resolves when texts can be shown. */
export async function startLanguage(): Promise<void> {
  const language = i18n.global.locale.value
  await load(language)
  document.documentElement.lang = language
}

export async function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(STORAGE_KEY, language)
  await load(language)
  i18n.global.locale.value = language
  document.documentElement.lang = language
}
