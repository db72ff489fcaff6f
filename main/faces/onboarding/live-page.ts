import type { GivenField, OnboardingView, Reason } from '../../engines/official/index.ts'
import { escape, page } from './layout.ts'
import type { OnboardingLocale } from './locales/shape.ts'

/** Submitted values to show again. Never secrets. */
export interface FormValues {
  readonly phoneNumberId: string
  readonly wabaId: string
}

export interface Problem {
  readonly field: GivenField | null
  readonly reason: Reason
}

const NOTHING: FormValues = { phoneNumberId: '', wabaId: '' }

const SECRET = 'type="password" autocomplete="off" spellcheck="false"'
const NUMERIC = 'inputmode="numeric" autocomplete="off"'

const FIELDS: Readonly<Record<GivenField, string>> = {
  access_token: `${SECRET} required`,
  app_secret: `${SECRET} required`,
  phone_number_id: `${NUMERIC} required`,
  waba_id: `${NUMERIC} required`,
  pin: `${NUMERIC} maxlength="6"`,
}

export const sentenceOf = ({ reasons }: OnboardingLocale, { code, detail = '' }: Reason): string =>
  reasons[code](detail)

/** The onboarding page of a live number. */
export function livePage(
  locale: OnboardingLocale,
  name: string,
  view: OnboardingView,
  signupPath: string | null,
  { problem, values = NOTHING }: { problem?: Problem; values?: FormValues } = {},
): string {
  const { live, callback } = locale
  const names = Object.keys(FIELDS) as GivenField[]
  return page(
    locale,
    locale.connect,
    `<h1 class="wide">${escape(live.heading(name))}</h1>
<p>${escape(live.lead)}</p>
${problem === undefined ? '' : `<p class="problem" role="alert">${escape(sentenceOf(locale, problem.reason))}</p>`}
${signupPath === null ? '' : `<a class="button" href="${escape(signupPath)}">${escape(live.withMeta)}</a><p class="hint">${escape(live.orPaste)}</p>`}
<form method="post">
${names.map((field) => row(locale, field, values, problem?.field ?? null)).join('\n')}
  <button>${locale.submit}</button>
</form>
<h2>${escape(callback.title)}</h2>
${callbackHelp(locale, view, callback.before)}`,
  )
}

function row({ live }: OnboardingLocale, name: GivenField, values: FormValues, wrong: GivenField | null): string {
  const { label, hint } = live.fields[name]
  const value = { phone_number_id: values.phoneNumberId, waba_id: values.wabaId }[name as string] ?? ''
  const invalid = wrong === name ? ' aria-invalid="true" autofocus' : ''
  return `  <label for="${name}">${escape(label)}</label>
  <input id="${name}" name="${name}" ${FIELDS[name]} aria-describedby="${name}-hint" value="${escape(value)}"${invalid}>
  <small id="${name}-hint">${escape(hint)}</small>`
}

function callbackHelp(locale: OnboardingLocale, view: OnboardingView, lead: string): string {
  const { callbackAddress, verifyToken } = view
  if (callbackAddress === null) return verdict(locale, view)
  const { url, token } = locale.callback
  return `<p>${escape(lead)}</p>
<dl><dt>${escape(url)}</dt><dd>${escape(callbackAddress)}</dd><dt>${escape(token)}</dt><dd>${escape(verifyToken.open())}</dd></dl>
${verdict(locale, view)}`
}

function verdict({ callback }: OnboardingLocale, { selfTest }: OnboardingView): string {
  switch (selfTest.kind) {
    case 'ok':
      return `<p class="good">${escape(callback.ok)}</p>`
    case 'wrong':
      return `<p class="note">${escape(callback.faults[selfTest.fault.code](selfTest.fault))}</p>`
    case 'no_address':
      return `<p class="note">${escape(callback.noAddress)}</p>`
    case 'untested':
      return ''
  }
}

interface Done {
  readonly number: string
  /** Whether Meta accepted our callback URL; if not, the person must enter it there. */
  readonly callsBack: boolean
  readonly view: OnboardingView
  /** Set if we created a new PIN; shown only this once. */
  readonly pin: string | null
}

export function liveDone(locale: OnboardingLocale, name: string, { number, callsBack, view, pin }: Done): string {
  const { live, callback } = locale
  const calls = callsBack ? `<p class="good">${escape(live.callsBack)}</p>` : callbackHelp(locale, view, callback.after)
  const pinNote =
    pin === null
      ? ''
      : `<p class="note">${escape(live.pinNote)}</p><dl><dt>${escape(live.pin)}</dt><dd>${escape(pin)}</dd></dl>`
  return page(
    locale,
    locale.connected,
    `<h1 class="wide">${escape(locale.isConnected(name))}</h1>
<p>${escape(live.canSend(number))}</p>
${calls}
${pinNote}
<p>${escape(live.close)}</p>`,
  )
}

/** For errors on the way back from Meta. The onboarding page can still be used. */
export function liveProblem(locale: OnboardingLocale, name: string, message: string): string {
  const { live } = locale
  return page(
    locale,
    live.failed,
    `<h1>${escape(live.notYet(name))}</h1>
<p class="problem" role="alert">${escape(message)}</p>
<p>${escape(live.again)}</p>`,
  )
}
