import { escape, page } from './layout.ts'
import type { OnboardingLocale } from './locales/shape.ts'

/** The onboarding page of a sandbox number. */
export function sandboxPage(locale: OnboardingLocale, name: string, problem?: string): string {
  const { sandbox } = locale
  return page(
    locale,
    locale.connect,
    `<p class="tag">${sandbox.tag}</p>
<h1>${escape(sandbox.heading(name))}</h1>
<p>${escape(sandbox.lead)}</p>
${problem === undefined ? '' : `<p class="problem" id="problem" role="alert">${escape(problem)}</p>`}
<form method="post">
  <label for="number">${escape(sandbox.number)}</label>
  <input id="number" name="number" inputmode="numeric" autocomplete="off" placeholder="1 202 555 0123" required autofocus${problem === undefined ? '' : ' aria-invalid="true" aria-describedby="problem"'}>
  <button>${locale.submit}</button>
</form>`,
  )
}

export function sandboxDone(locale: OnboardingLocale, name: string, number: string): string {
  return page(
    locale,
    locale.connected,
    `<p class="tag">${locale.sandbox.tag}</p>
<h1>${escape(locale.isConnected(name))}</h1>
<p>${escape(locale.sandbox.done(number))}</p>`,
  )
}

/** For an onboarding link that was already used or never existed. */
export const gonePage = (locale: OnboardingLocale): string => notice(locale, locale.gone)

/** For the way back from Meta, if the account was suspended meanwhile. */
export const suspendedPage = (locale: OnboardingLocale): string => notice(locale, locale.suspended)

const notice = (locale: OnboardingLocale, { title, text }: OnboardingLocale['gone']): string =>
  page(locale, title, `<h1>${escape(title)}</h1>\n<p>${escape(text)}</p>`)
