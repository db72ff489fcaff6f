import type { OnboardingLocale } from './locales/shape.ts'

/** The layout of every page that is authenticated by its URL: no scripts, no external files, styled like the console. */
export const page = ({ language }: Pick<OnboardingLocale, 'language'>, title: string, body: string) => `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} · Switchboard</title><style>${STYLE}</style></head>
<body><main>
<p class="brand">${CABLE}Switchboard</p>
${body}
</main></body>
</html>
`

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export const escape = (text: string) => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')

const CABLE =
  '<svg aria-hidden="true" viewBox="0 0 24 24" width="20" height="20"><g fill="none" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" stroke-width="2"><path d="M17 19a1 1 0 0 1-1-1v-2a2 2 0 0 1 2-2h2a2 2 0 0 1 2 2v2a1 1 0 0 1-1 1zm0 2v-2"/><path d="M19 14V6.5a1 1 0 0 0-7 0v11a1 1 0 0 1-7 0V10m16 11v-2M3 5V3"/><path d="M4 10a2 2 0 0 1-2-2V6a1 1 0 0 1 1-1h4a1 1 0 0 1 1 1v2a2 2 0 0 1-2 2zm3-5V3"/></g></svg>'

// Colours from renderer/app/theme.css.
const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 'Inter Variable', Inter, system-ui, sans-serif
  ; --text: #334155; --strong: #0f172a; --muted: #475569; --line: #e2e8f0; --field: #cbd5e1; --soft: #f1f5f9
  ; --back: #fff; --accent: #0f766e; --on-accent: #fff; --bad: #b91c1c; --warn: #92400e }
@media (prefers-color-scheme: dark) { :root { --text: #e2e8f0; --strong: #fff; --muted: #94a3b8; --line: #1e293b
  ; --field: #334155; --soft: #1e293b; --back: #0f172a; --accent: #2dd4bf; --on-accent: #0f172a; --bad: #f87171; --warn: #fbbf24 } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 2rem 1rem; background: var(--back); color: var(--text) }
main { width: min(26rem, 100%); padding: 1.5rem; border: 1px solid var(--line); border-radius: .5rem }
main:has(.wide) { width: min(36rem, 100%) }
a { color: var(--accent) }
h1 { font-size: 1.25rem; line-height: 1.3; font-weight: 600; margin: 1rem 0 .5rem; color: var(--strong); overflow-wrap: anywhere }
h2 { font-size: 1rem; font-weight: 600; margin: 2rem 0 .25rem; color: var(--strong) }
p { margin: .5rem 0 }
.brand { display: flex; gap: .5rem; align-items: center; margin: 0; font-weight: 600; font-size: .875rem; color: var(--strong) }
.brand svg { color: var(--accent) }
p, ol, label, input, button, .button { font-size: .875rem }
small, .hint { color: var(--muted); font-size: .8125rem; line-height: 1.4 }
.tag { float: right; margin: -1.5rem 0 0; padding: 0 .5rem; border: 1px solid var(--field); border-radius: .375rem; font-size: .75rem }
.problem, .note, .good { border-left: 3px solid var(--bad); padding: .125rem 0 .125rem .75rem; margin: 1rem 0 }
.problem { color: var(--bad) }
.note { border-color: var(--warn) }
.good { border-color: var(--accent) }
form { display: grid; gap: .25rem; margin-top: 1.25rem }
label { font-weight: 500; margin-top: .75rem; color: var(--strong) }
input, button, .button { font-family: inherit; line-height: 1.25rem; padding: .4375rem .75rem; border-radius: .375rem; border: 1px solid var(--field) }
input { width: 100%; background: transparent; color: inherit; font-size: 1rem }
input[aria-invalid] { border-color: var(--bad) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
button, .button { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 500; cursor: pointer; text-decoration: none; text-align: center }
button { margin-top: 1.25rem }
.button { display: block; margin-top: 1rem }
dl { margin: .75rem 0; padding: .75rem 1rem; border-radius: .375rem; background: var(--soft) }
dt { font-size: .8125rem; margin-top: .5rem }
dt:first-child { margin-top: 0 }
dd { margin: 0; font: .8125rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; user-select: all }
.lines { white-space: pre-wrap }`
