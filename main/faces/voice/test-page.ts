import { escape, page } from '../onboarding/layout.ts'
import { localeFor } from '../onboarding/language.ts'

interface TestWords {
  readonly language: string
  readonly title: (name: string) => string
  readonly lead: string
  readonly steps: readonly string[]
  readonly real: string
  readonly origins: string
  readonly expired: { readonly title: string; readonly text: string }
}

const WORDS: Readonly<Record<string, TestWords>> = {
  en: {
    language: 'en',
    title: (name) => `Try “${name}”`,
    lead: 'The button in the corner is your widget, as visitors see it.',
    steps: [
      'Press the button in the corner.',
      'Allow the microphone when your browser asks.',
      'Talk to your agent, then hang up.',
    ],
    real: 'This is a real call: it appears under Calls, is recorded, and counts toward the trial.',
    origins: 'On other websites, the widget appears only on these:',
    expired: { title: 'This link has expired', text: 'Open the test page again from the widget in Switchboard.' },
  },
  'pt-BR': {
    language: 'pt-BR',
    title: (name) => `Testar “${name}”`,
    lead: 'O botão no canto é o seu widget, como os visitantes o veem.',
    steps: [
      'Clique no botão no canto.',
      'Permita o microfone quando o navegador pedir.',
      'Fale com o seu agente e depois desligue.',
    ],
    real: 'Esta é uma ligação de verdade: aparece em Ligações, é gravada e conta no período de teste.',
    origins: 'Em outros sites, o widget aparece somente nestes:',
    expired: {
      title: 'Este link expirou',
      text: 'Abra a página de teste novamente a partir do widget no Switchboard.',
    },
  },
  es: {
    language: 'es',
    title: (name) => `Probar “${name}”`,
    lead: 'El botón de la esquina es su widget, tal como lo ven los visitantes.',
    steps: [
      'Pulse el botón de la esquina.',
      'Permita el micrófono cuando el navegador lo pida.',
      'Hable con su agente y después cuelgue.',
    ],
    real: 'Es una llamada real: aparece en Llamadas, se graba y cuenta para la prueba.',
    origins: 'En otros sitios, el widget aparece solo en estos:',
    expired: {
      title: 'Este enlace ha caducado',
      text: 'Abra de nuevo la página de prueba desde el widget en Switchboard.',
    },
  },
}

export const testWordsFor = (accepted: string | undefined): TestWords =>
  // The languages of these pages are the same everywhere.
  WORDS[localeFor(accepted).language] ?? (WORDS['en'] as TestWords)

export const TEST_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex, nofollow',
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; media-src 'self' blob:; " +
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
} as const

interface TestPage {
  readonly key: string
  readonly test: string
  readonly name: string
  readonly origins: readonly string[]
}

/** The widget on a page of this service, in the visitor's language. */
export const testPage = (words: TestWords, { key, test, name, origins }: TestPage): string =>
  page(
    words,
    words.title(escape(name)),
    `<h1>${words.title(escape(name))}</h1>
<p>${words.lead}</p>
<ol>${words.steps.map((step) => `<li>${step}</li>`).join('')}</ol>
<p class="note">${words.real}</p>
<p class="hint">${words.origins}</p>
<ul class="hint">${origins.map((origin) => `<li>${escape(origin)}</li>`).join('')}</ul>
<script src="/widget/v1.js" data-widget="${escape(key)}" data-test="${escape(test)}" async></script>`,
  )

export const expiredPage = (words: TestWords): string =>
  page(words, words.expired.title, `<h1>${words.expired.title}</h1>\n<p>${words.expired.text}</p>`)
