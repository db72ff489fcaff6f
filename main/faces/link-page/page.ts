import type { LinkView } from '../../capabilities/links/index.ts'
import type { Theme } from '../../contract/brand.ts'
import { escape } from '../onboarding/layout.ts'
import { SCRIPT } from './script.ts'
import type { LinkWords } from './words.ts'

/** The page of an open link. */
export function linkPage(words: LinkWords, view: LinkView, nowMs: number): string {
  const { brand } = view
  const logo = brand.logo === null ? '' : `<img class="logo" src="${escape(brand.logo)}" alt="">`
  const help =
    brand.support_url === null
      ? ''
      : `<a href="${escape(brand.support_url)}" rel="noreferrer">${escape(words.help)}</a>`
  return html(
    words,
    `${words.title} · ${brand.name}`,
    `<style>${themeStyle(brand.theme)}</style>`,
    `<header>${logo}<b>${escape(brand.name)}</b></header>
<main aria-live="polite">${linkContent(words, view, nowMs)}</main>
<p class="hint" role="status" data-replaced="${escape(words.replaced)}" data-full="${escape(words.full)}"></p>
<noscript><p class="hint">${escape(words.noScript)}</p></noscript>
<footer><p>${escape(words.privacy)}</p>${help}</footer>
<script>${SCRIPT}</script>`,
  )
}

/** Shown for every invalid link. Nothing in it depends on the link or the reason. */
export const gonePage = (words: LinkWords): string =>
  html(
    words,
    words.gone.title,
    `<style>${NEUTRAL}</style>`,
    `<main><h1>${escape(words.gone.title)}</h1>\n<p>${escape(words.gone.text)}</p></main>`,
  )

/** The part that changes while the page is open. */
export function linkContent(words: LinkWords, view: LinkView, nowMs: number): string {
  const { instance, qr, permanent, canRequestCode, isDone } = view
  if (instance.status === 'connected' || isDone) {
    const as =
      instance.phone_number === null
        ? ''
        : `<p>${escape(words.connectedAs)} <b>+${escape(instance.phone_number)}</b></p>`
    const done = permanent ? '' : `<p class="hint">${escape(words.done)}</p>`
    return `<div class="mark" aria-hidden="true">✓</div><h1>${escape(words.connected)}</h1>${as}<p>${escape(words.connectedText)}</p>${done}`
  }
  if (qr === null) return official(words, view)
  switch (qr.state) {
    case 'ready':
      return `${heading(words.title, view)}<div class="ways">
${pairingCode(words, qr.pairing_code, canRequestCode)}
<div class="scan"><p>${escape(words.lead)}</p>
<img class="qr" src="${escape(qr.qr ?? '')}" alt="${escape(words.qrAlt)}" width="320" height="320">
${countdown(words, qr.expires_at, nowMs)}
<ol>${words.steps.map((step) => `<li>${escape(step)}</li>`).join('')}</ol></div></div>`
    case 'passkey_required':
      return `${heading(words.passkey, view)}<p>${escape(words.passkeyText)}</p>${button('passkey', words.passkeyGo, words)}`
    case 'expired':
      return offline(words, view)
    case 'pending':
    case 'connected':
      return `${heading(words.title, view)}<p class="wait">${escape(words.preparing)}</p>`
  }
}

/** Only a lost connection returns automatically, so the text depends on the reason. */
function offline(words: LinkWords, view: LinkView): string {
  const { last_disconnect_reason: reason, last_connected_at: lastConnectedAt, status } = view.instance
  const known = OFFLINE[reason ?? '']
  // The last code was not used, so the open page requests the next one.
  if (known === 'code' || (known === undefined && lastConnectedAt === null))
    return `${heading(words.title, view)}<p>${escape(words.expired)}</p>${button('refresh', words.again, words, 'data-auto')}`
  const says = known ?? (status === 'auth_failed' ? 'unpaired' : 'lost')
  const label = says === 'stopped' ? words.reconnect : words.again
  const act = WAITS.has(says) ? '' : button('refresh', label, words)
  return `${heading(words.offline, view)}<p>${escape(words[says])}</p>${act}`
}

type Offline = 'lost' | 'stopped' | 'unpaired' | 'unconfirmed' | 'tooOften' | 'moved' | 'banned' | 'bannedForNow'

/** The text by `last_disconnect_reason`. `code`: shows a new code. All other reasons are lost connections. */
const OFFLINE: Readonly<Record<string, Offline | 'code'>> = {
  user: 'stopped',
  moved: 'moved',
  banned: 'banned',
  temporary_ban: 'bannedForNow',
  ...{ logout: 'unpaired', logged_out: 'unpaired', restored: 'unpaired' },
  ...{ session_lost: 'unpaired', bad_session: 'unpaired' },
  ...{ qr_expired: 'code', pairing_interrupted: 'code' },
  ...{ passkey_expired: 'unconfirmed', passkey_refused: 'unconfirmed', passkey_phone_silent: 'unconfirmed' },
  ...{ passkey_differs: 'unconfirmed', passkey_connection_lost: 'unconfirmed', passkey_too_often: 'tooOften' },
}
/** A new code would not help. */
const WAITS: ReadonlySet<Offline> = new Set(['moved', 'bannedForNow'])

/** Names the number, because its people may have several links. */
const heading = (title: string, { instance }: LinkView) =>
  `<h1>${escape(title)}</h1><p class="name">${escape(instance.name)}</p>`

function official(words: LinkWords, view: LinkView): string {
  const url = view.instance.onboarding_url
  if (url === undefined) {
    const text = view.instance.last_disconnect_reason === 'user' ? words.stopped : words.lost
    return `${heading(words.offline, view)}<p>${escape(text)}</p>`
  }
  return `${heading(words.title, view)}<p>${escape(words.official)}</p><a class="button" href="${escape(url)}">${escape(words.officialGo)}</a>`
}

function countdown(words: LinkWords, expiresAt: string | null, nowMs: number): string {
  if (expiresAt === null) return ''
  const seconds = Math.max(0, Math.ceil((Date.parse(expiresAt) - nowMs) / 1_000))
  return `<p class="hint" aria-hidden="true" data-seconds="${seconds}"><span data-left>${seconds}</span> ${escape(words.changesIn)}</p>`
}

function pairingCode(words: LinkWords, code: string | null, canRequestCode: boolean): string {
  const request = canRequestCode
    ? `<form data-act="code"><label for="phone">${escape(words.phone)}</label><input id="phone" name="phone" inputmode="tel" autocomplete="tel" required><button>${escape(words.getCode)}</button></form>${problem(words)}`
    : `<p>${escape(words.noCode)}</p>`
  const shown = code === null ? request : `<p>${escape(words.codeText)}</p><p class="code">${escape(code)}</p>`
  return `<details${code === null ? '' : ' open'}><summary>${escape(words.codeTitle)}</summary>${shown}</details>`
}

/** @param more `data-auto`: the page presses the button itself while it is visible. */
const button = (act: string, label: string, words: LinkWords, more = '') =>
  `<form data-act="${act}" ${more}><button>${escape(label)}</button></form>${problem(words)}`

const problem = (words: LinkWords) => `<p class="problem" role="alert" data-failed="${escape(words.failed)}"></p>`

const html = (words: Pick<LinkWords, 'language'>, title: string, style: string, body: string) => `<!doctype html>
<html lang="${words.language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${escape(title)}</title>${style}<style>${STYLE}</style></head>
<body>
${body}
</body>
</html>
`

const variables = ({ background, surface, text, muted, primary, on_primary: onPrimary }: Theme) =>
  `--back:${background};--soft:${surface};--text:${text};--muted:${muted};--accent:${primary};--on-accent:${onPrimary}`

/** The schema has checked the colors: six hexadecimal digits, which cannot end a style. */
const themeStyle = ({ light, dark }: { light: Theme; dark: Theme }) =>
  `:root{color-scheme:light dark;${variables(light)}}@media (prefers-color-scheme:dark){:root{${variables(dark)}}}`

const NEUTRAL =
  ':root{color-scheme:light dark;--back:#fff;--text:#14191b;--muted:#475569;--accent:#0f766e;--on-accent:#fff;--soft:#f1f5f9}@media (prefers-color-scheme:dark){:root{--back:#0f1416;--text:#f4f6f7;--muted:#94a3b8;--accent:#2dd4bf;--on-accent:#000;--soft:#1e293b}}'

// The code is dark on white in both modes, with a margin, and as large as a phone allows, because phones cannot scan
// it otherwise.
const STYLE = `
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center; gap: 1rem; padding: 1.25rem 1rem 2rem; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif }
header, main, footer { width: min(26rem, 100%) }
header { display: flex; align-items: center; gap: .75rem; font-size: 1.0625rem }
.logo { max-height: 2.5rem; max-width: 10rem }
main { flex: 1; text-align: center }
h1 { font-size: 1.375rem; line-height: 1.3; margin: 1rem 0 .5rem; overflow-wrap: anywhere }
p { margin: .5rem 0 }
.qr { display: block; width: min(100%, 22rem); height: auto; margin: 1rem auto; padding: .5rem; background: #fff; border-radius: .75rem; image-rendering: pixelated }
.hint, footer { color: var(--muted); font-size: .875rem }
ol { text-align: left; padding-left: 1.25rem }
.name { font-weight: 600; overflow-wrap: anywhere }
.ways { display: flex; flex-direction: column-reverse }
details { text-align: left; margin-top: 1rem; padding: .75rem 1rem; border-radius: .5rem; background: var(--soft) }
summary { cursor: pointer; font-weight: 600 }
.code { font: 600 1.75rem/1.4 ui-monospace, monospace; letter-spacing: .1em; text-align: center; user-select: all }
.mark { width: 4rem; height: 4rem; margin: 2rem auto 0; border-radius: 50%; display: grid; place-items: center; font-size: 2rem; background: var(--accent); color: var(--on-accent) }
form { display: grid; gap: .5rem; margin-top: .75rem }
label { font-weight: 500 }
input { width: 100%; padding: .625rem .75rem; font: inherit; color: inherit; background: transparent; border: 1px solid var(--muted); border-radius: .5rem }
button, .button { display: block; padding: .75rem 1rem; border: 0; border-radius: .5rem; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer; text-decoration: none; text-align: center }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.problem:empty, .hint:empty { display: none }
footer a { color: var(--accent) }
footer { text-align: center }
@media (max-width: 30rem) { .ways { flex-direction: column } }`
