import type { PasskeyView, QrView } from '../../contract/instance.ts'
import { escape, page } from '../onboarding/layout.ts'
import type { PasskeyWords } from './words.ts'

/** A page of the site that the passkey belongs to, without its app: a second QR code there would be confusing. */
const QUIET_PATH = '/robots.txt'

export function passkeyPage(words: PasskeyWords, view: QrView | 'linked', problem?: string): string {
  if (view === 'linked') return note(words, words.linked)
  const { passkey } = view
  switch (passkey?.step) {
    case 'sign':
      return passkey.options ? signPage(words, passkey, problem) : waiting(words, words.preparing)
    case 'compare':
      return comparePage(words, passkey)
    case 'phone':
    case 'finishing':
      return waiting(words, words.phone.text, words.phone.title)
    case undefined:
      return waiting(words, words.preparing)
  }
}

export const gonePage = (words: PasskeyWords): string => note(words, words.gone)

const note = (words: PasskeyWords, { title, text }: { title: string; text: string }) =>
  page(words, title, `<h1>${escape(title)}</h1>\n<p>${escape(text)}</p>`)

const waiting = (words: PasskeyWords, text: string, title = words.title) =>
  page(words, title, `<meta http-equiv="refresh" content="3">\n<h1>${escape(title)}</h1>\n<p>${escape(text)}</p>`)

function signPage(words: PasskeyWords, { options, origin, attempt }: PasskeyView, problem?: string): string {
  const quiet = `${origin}${QUIET_PATH}`
  return page(
    words,
    words.title,
    `<h1 class="wide">${escape(words.title)}</h1>
<p>${escape(words.lead)}</p>
<p class="note">${escape(words.nothingLinked)}</p>
${problem === undefined ? '' : `<p class="problem" role="alert">${escape(problem)}</p>`}
<p>1. ${escape(words.open)} <a href="${escape(quiet)}" target="_blank" rel="noreferrer">${escape(quiet)}</a></p>
<p>2. ${escape(words.console)}</p>
<dl><dd>${escape(snippetFor(options))}</dd></dl>
<p class="hint">${escape(words.console2)}</p>
<form method="post">
  <input type="hidden" name="attempt" value="${attempt}">
  <label for="credential">3. ${escape(words.paste)}</label>
  <input id="credential" name="credential" autocomplete="off" spellcheck="false" required>
  <button>${escape(words.send)}</button>
</form>
<p class="hint">${escape(words.privacy)}</p>`,
  )
}

/** One line that can be read. `copy` is the console's own. */
const snippetFor = (options: PasskeyView['options']): string =>
  `copy(JSON.stringify((await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)}) })).toJSON()))`

function comparePage(words: PasskeyWords, { code = '', attempt }: PasskeyView): string {
  const { title, text, same, different } = words.compare
  return page(
    words,
    title,
    `<h1>${escape(title)}</h1>
<p>${escape(text)}</p>
<dl><dd>${escape(code)}</dd></dl>
<form method="post">
  <input type="hidden" name="attempt" value="${attempt}">
  <button name="match" value="yes">${escape(same)}</button>
  <button name="match" value="no">${escape(different)}</button>
</form>`,
  )
}
