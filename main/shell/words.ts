import { en } from './words/en.ts'
import { es } from './words/es.ts'
import { pt } from './words/pt.ts'
import type { Words } from './words/shape.ts'

/** @param locale as the system names it: `pt-BR`, `es-419`, `en-GB`. */
export const wordsFor = (locale: string): Words => ({ pt, es })[locale.split('-')[0] ?? ''] ?? en
