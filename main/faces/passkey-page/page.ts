import { createHash } from 'node:crypto'
import type { PasskeyView, QrView } from '../../contract/instance.ts'
import { escape, page } from '../onboarding/layout.ts'
import type { PasskeyWords } from './words.ts'

/** A page of the passkey's site that does not load the app, whose own QR code would be confusing. */
const QUIET_PATH = '/robots.txt'

/** @param address of this page, to which the browser returns with the answer. */
export function passkeyPage(words: PasskeyWords, view: QrView | 'linked', address: string, problem?: string): string {
  if (view === 'linked') return note(words, words.linked)
  const { passkey } = view
  switch (passkey?.step) {
    case 'sign':
      return passkey.options ? signPage(words, passkey, address, problem) : waiting(words, words.preparing)
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

function signPage(
  words: PasskeyWords,
  { options, origin, attempt }: PasskeyView,
  address: string,
  problem?: string,
): string {
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
<dl><dd class="lines">${escape(snippetFor(options, address))}</dd></dl>
<p class="hint">${escape(words.console2)}</p>
<form method="post">
  <input type="hidden" name="attempt" value="${attempt}">
  <label for="credential">3. ${escape(words.paste)}</label>
  <input id="credential" name="credential" autocomplete="off" spellcheck="false" required>
  <button>${escape(words.send)}</button>
</form>
<p class="hint">${escape(words.privacy)}</p>
<script>${SCRIPT}</script>`,
  )
}

/** Code that a person can read. If the browser does not leave the page, the answer can be copied from the console. */
const snippetFor = (options: PasskeyView['options'], address: string): string =>
  `publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)})
answer = JSON.stringify((await navigator.credentials.get({ publicKey })).toJSON())
console.log(answer)
location = ${JSON.stringify(`${address}#`)} + encodeURIComponent(answer)`

/** Sends the answer that the browser returned with, after removing it from the URL and the history. */
const SCRIPT = `const answer = location.hash.slice(1)
if (answer) {
  history.replaceState(null, '', location.pathname)
  const field = document.getElementById('credential')
  field.value = decodeURIComponent(answer)
  field.form.requestSubmit()
}`
export const SCRIPT_HASH = `sha256-${createHash('sha256').update(SCRIPT).digest('base64')}`

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
