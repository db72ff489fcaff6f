import { createHash } from 'node:crypto'

/**
 * Keeps the page current: a stream brings what is between the `main` tags whenever it changes. The only script that the
 * page's policy allows, by its hash.
 */
export const SCRIPT = `
const live = document.querySelector('main')
const at = location.pathname
let ends = 0
let renewals = 5
const tick = () => {
  const left = document.querySelector('[data-left]')
  if (left) left.textContent = Math.max(0, Math.ceil((ends - Date.now()) / 1000))
}
const show = (html) => {
  const typed = live.querySelector('input')?.value
  const isUnfolded = live.querySelector('details')?.open
  live.innerHTML = html
  const field = live.querySelector('input')
  if (field && typed) field.value = typed
  unfold(isUnfolded)
  set()
}
const set = () => {
  const seconds = live.querySelector('[data-seconds]')?.dataset.seconds
  ends = Date.now() + 1000 * Number(seconds ?? 0)
  tick()
  renew()
}
// Replaces an expired code while the page is visible, a few times.
const renew = () => {
  const form = live.querySelector('[data-auto]')
  if (!form || document.visibilityState !== 'visible' || renewals < 1) return
  renewals--
  void act({ act: form.dataset.act })
}
// On a phone there is no second screen to scan from.
const unfold = (isOpen = matchMedia('(max-width: 30rem)').matches) => {
  const code = live.querySelector('details')
  if (code) code.open ||= isOpen
}
const act = async (body) => {
  const answer = await fetch(at, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const said = await answer.json().catch(() => ({}))
  if (said.go) location.href = said.go
  const problem = live.querySelector('[role=alert]')
  if (problem) problem.textContent = answer.ok ? '' : said.error?.message ?? problem.dataset.failed
}
document.addEventListener('submit', (event) => {
  event.preventDefault()
  const form = event.target
  void act({ act: form.dataset.act, ...Object.fromEntries(new FormData(form)) })
})
const says = document.querySelector('[data-full]')
const follow = () => {
  const stream = new EventSource(at + '/events')
  stream.addEventListener('view', (event) => { says.textContent = ''; show(JSON.parse(event.data)) })
  stream.addEventListener('gone', () => { stream.close(); location.reload() })
  stream.addEventListener('done', (event) => { stream.close(); show(JSON.parse(event.data)) })
  stream.addEventListener('replaced', () => { stream.close(); says.textContent = says.dataset.replaced })
  // The browser reconnects automatically unless the stream was refused.
  stream.addEventListener('error', () => {
    if (stream.readyState !== EventSource.CLOSED) return
    says.textContent = says.dataset.full
    setTimeout(follow, 10000 + 5000 * Math.random())
  })
}
follow()
document.addEventListener('visibilitychange', renew)
unfold()
set()
setInterval(tick, 1000)
`

export const SCRIPT_HASH = `sha256-${createHash('sha256').update(SCRIPT).digest('base64')}`
