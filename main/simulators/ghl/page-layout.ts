import type { PageWords } from './page-words.ts'

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export const escape = (text: string) => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')

/** A page of the simulator: without scripts and external files, and labelled as a sandbox. */
export const layout = (words: PageWords, title: string, body: string, head = '') => `<!doctype html>
<html lang="${words.language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${head}<title>${escape(title)} · ${escape(words.product)}</title><style>${STYLE}</style></head>
<body>${body}</body>
</html>
`

export const brand = (words: PageWords) =>
  `<p class="brand"><strong>${escape(words.product)}</strong> <span class="tag">${escape(words.sandbox)}</span></p>`

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 'Inter Variable', Inter, system-ui, sans-serif
  ; --text: #1f2937; --muted: #4b5563; --line: #d1d5db; --soft: #f3f4f6; --back: #fff; --accent: #1d4ed8; --on: #fff; --bad: #b91c1c; --mine: #dbeafe }
@media (prefers-color-scheme: dark) { :root { --text: #e5e7eb; --muted: #9ca3af; --line: #374151; --soft: #1f2937; --back: #111827; --accent: #93c5fd; --on: #0b1220; --bad: #fca5a5; --mine: #1e3a5f } }
* { box-sizing: border-box }
body { margin: 0; background: var(--back); color: var(--text) }
.card { width: min(28rem, 100% - 2rem); margin: 10vh auto; padding: 1.5rem; border: 1px solid var(--line); border-radius: .5rem }
.brand { margin: 0 0 1rem }
.tag { padding: .05rem .5rem; border: 1px solid var(--line); border-radius: .375rem; font-size: .8125rem; color: var(--muted) }
h1 { font-size: 1.25rem; line-height: 1.3; margin: 0 0 .5rem }
h2 { font-size: 1rem; margin: 0 0 .5rem }
.hint { color: var(--muted); font-size: .875rem }
label { display: block; font-weight: 500; margin-top: .75rem }
input, select, textarea, button { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: .375rem; padding: .4rem .7rem; max-width: 100% }
input, select, textarea { width: 100% }
button { margin-top: .75rem; cursor: pointer }
button.main { background: var(--accent); border-color: var(--accent); color: var(--on) }
a { color: var(--accent) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.row { display: flex; gap: .75rem; flex-wrap: wrap; align-items: center }
.inbox { display: grid; grid-template-columns: minmax(14rem, 20rem) 1fr; min-height: 100vh }
@media (max-width: 45rem) { .inbox { grid-template-columns: 1fr } }
.inbox > * { padding: 1rem; min-width: 0 }
.inbox > nav { border-right: 1px solid var(--line) }
.list { list-style: none; margin: 0 0 1.5rem; padding: 0 }
.list a { display: block; padding: .5rem; border-radius: .375rem; text-decoration: none; color: inherit; overflow-wrap: anywhere }
.list a[aria-current] { background: var(--soft) }
iframe { width: 100%; height: 55vh; border: 1px solid var(--line); border-radius: .375rem }
.messages { display: flex; flex-direction: column; gap: .5rem; padding: .75rem; margin: 0; list-style: none }
.messages li { max-width: 80%; padding: .4rem .7rem; border-radius: .5rem; background: var(--soft); overflow-wrap: anywhere; white-space: pre-wrap }
.messages li.out { align-self: flex-end; background: var(--mine) }
.messages small { display: block; color: var(--muted) }
.messages .failed { color: var(--bad) }
.problem { color: var(--bad) }
code { overflow-wrap: anywhere }
details { margin-top: 1rem }`
