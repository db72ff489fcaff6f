import { escape, page } from './layout.ts'
import type { OnboardingLocale } from './locales/shape.ts'

/** The page behind `onboarding_url` on the sandbox network: one field, one button. */
export function sandboxPage(words: OnboardingLocale, name: string, problem?: string): string {
  const { sandbox } = words
  return page(
    words,
    words.connect,
    `<p class="tag">${sandbox.tag}</p>
<h1>${escape(sandbox.heading(name))}</h1>
<p>${escape(sandbox.lead)}</p>
${problem === undefined ? '' : `<p class="problem" id="problem" role="alert">${escape(problem)}</p>`}
<form method="post">
  <label for="number">${escape(sandbox.number)}</label>
  <input id="number" name="number" inputmode="numeric" autocomplete="off" placeholder="1 202 555 0123" required autofocus${problem === undefined ? '' : ' aria-invalid="true" aria-describedby="problem"'}>
  <button>${words.submit}</button>
</form>`,
  )
}

export function sandboxDone(words: OnboardingLocale, name: string, number: string): string {
  return page(
    words,
    words.connected,
    `<p class="tag">${words.sandbox.tag}</p>
<h1>${escape(words.isConnected(name))}</h1>
<p>${escape(words.sandbox.done(number))}</p>`,
  )
}

/** For whoever opens the address of a page that was used or never was. */
export function gonePage(words: OnboardingLocale): string {
  const { title, text } = words.gone
  return page(words, title, `<h1>${escape(title)}</h1>\n<p>${escape(text)}</p>`)
}
