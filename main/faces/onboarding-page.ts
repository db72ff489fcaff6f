/** The page behind `onboarding_url` on the sandbox network: one field, one button. */
export function onboardingPage(name: string, problem?: string): string {
  return page(
    'Connect a number',
    `<p class="tag">Sandbox</p>
<h1>Connect a number to “${escape(name)}”</h1>
<p>On the live network this page asks for the credentials of Meta's Cloud API. Here it is simulated: choose any number.</p>
${problem === undefined ? '' : `<p class="problem" role="alert">${escape(problem)}</p>`}
<form method="post">
  <label for="number">Phone number with country code</label>
  <input id="number" name="number" inputmode="numeric" autocomplete="off" placeholder="1 202 555 0123" required autofocus>
  <button>Connect</button>
</form>`,
  )
}

export function onboardingDone(name: string, number: string): string {
  return page(
    'Connected',
    `<p class="tag">Sandbox</p>
<h1>“${escape(name)}” is connected</h1>
<p>The number ${escape(number)} can send and receive now. You can close this page.</p>`,
  )
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0; min-height: 100vh; display: grid; place-items: center }
main { width: min(26rem, calc(100vw - 3rem)) }
h1 { font-size: 1.4rem; line-height: 1.25; margin: .5rem 0 }
.tag { display: inline-block; margin: 0; padding: .1rem .6rem; border: 1px solid; border-radius: 1rem; font-size: .8rem }
.problem { border-left: 3px solid #c0392b; padding-left: .75rem }
form { display: grid; gap: .5rem; margin-top: 1.5rem }
input, button { font: inherit; padding: .6rem .75rem; border-radius: .5rem; border: 1px solid #8886 }
button { background: #1a7f5a; border-color: #1a7f5a; color: #fff; cursor: pointer }`

const page = (title: string, body: string) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} · Switchboard</title><style>${STYLE}</style></head>
<body><main>
${body}
</main></body>
</html>
`

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escape = (text: string) => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
