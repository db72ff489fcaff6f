/** These functions run in the page, so each holds all that it needs. */

/** A request that would do something, or show something. */
export interface Shot {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly body: string | null
}

export interface Attack {
  /** Whom it goes against: `http://name:port`. */
  readonly base: string
  /** A valid key, which the page should never have: the guards must hold even so. */
  readonly key: string
  readonly shots: readonly Shot[]
}

/** Something the page got hold of. */
export interface Haul {
  readonly by: string
  readonly shot: string
  /** 0 for an answer whose content stays closed to the page. */
  readonly status: number
  readonly text: string
}

/** All a script can do with `fetch` and its elders. */
export async function byRequests({ base, key, shots }: Attack): Promise<Haul[]> {
  const hauls: Haul[] = []
  const address = ({ path }: Shot, by: string) => `${base}${path}${path.includes('?') ? '&' : '?'}by=${by}`
  const got = (by: string, shot: Shot, status: number, text: string) =>
    hauls.push({ by, shot: `${shot.method} ${shot.path}`, status, text: text.slice(0, 500) })

  const request = async (by: string, shot: Shot, init: RequestInit) => {
    try {
      const answer = await fetch(address(shot, by), { ...init, signal: AbortSignal.timeout(10_000) })
      got(by, shot, answer.status, await answer.text())
    } catch {
      // Refused: the page learns nothing, not even why.
    }
  }
  const json = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const body = (shot: Shot) => shot.body ?? '{}'
  const asForm = (shot: Shot) => {
    const form = new FormData()
    form.append('number', '12025550999')
    form.append('body', body(shot))
    return form
  }
  const has = ({ method }: Shot) => (method === 'GET' || method === 'HEAD' ? {} : { method })
  const post = { method: 'POST', mode: 'no-cors', credentials: 'include' } as const
  const typed = (type: string) => ({ 'Content-Type': type })
  const WAYS: Record<string, (shot: Shot) => RequestInit> = {
    'cors-key': (shot) => ({ ...has(shot), headers: json, ...(shot.method !== 'GET' && { body: body(shot) }) }),
    'cors-get': () => ({}),
    'cors-credentials': () => ({ credentials: 'include' }),
    'cors-text': (shot) => ({ method: 'POST', body: body(shot), headers: typed('text/plain') }),
    'no-cors-get': () => ({ mode: 'no-cors', credentials: 'include' }),
    'no-cors-text': (shot) => ({ ...post, body: body(shot), headers: typed('text/plain') }),
    'no-cors-form': () => ({ ...post, body: new URLSearchParams({ number: '12025550999' }) }),
    'no-cors-multipart': (shot) => ({ ...post, body: asForm(shot) }),
    // Without a referrer the browser sends Origin: null.
    'no-cors-null': (shot) => ({ ...post, body: body(shot), referrerPolicy: 'no-referrer' }),
  }
  for (const [by, way] of Object.entries(WAYS)) await Promise.all(shots.map((shot) => request(by, shot, way(shot))))

  for (const shot of shots.filter(({ method }) => method === 'POST')) {
    navigator.sendBeacon(address(shot, 'beacon'), body(shot))
    navigator.sendBeacon(address(shot, 'beacon-form'), new URLSearchParams({ number: '12025550999' }))
  }

  const opened = (by: string, shot: Shot, source: EventTarget & { close(): void }) =>
    new Promise<void>((done) => {
      const end = (isOpen: boolean) => () => {
        if (isOpen) got(by, shot, 0, 'opened')
        source.close()
        done()
      }
      source.addEventListener('open', end(true))
      source.addEventListener('error', end(false))
      setTimeout(end(false), 10_000)
    })
  const gets = shots.filter(({ method }) => method === 'GET')
  const socket = (shot: Shot) => new WebSocket(address(shot, 'websocket').replace(/^http/, 'ws'))
  // Chromium makes whoever fails wait, longer each time: a few must do, and the service has one door for all.
  await Promise.all([...gets.slice(0, 1), ...gets.slice(-3)].map((shot) => opened('websocket', shot, socket(shot))))
  await Promise.all(gets.map((shot) => opened('event-source', shot, new EventSource(address(shot, 'event-source')))))
  return hauls
}

/** All that markup can include. */
export async function byElements({ base, shots }: Attack): Promise<Haul[]> {
  const hauls: Haul[] = []
  const TAGS: Record<string, (url: string) => HTMLElement> = {
    script: (src) => Object.assign(document.createElement('script'), { src }),
    module: (src) => Object.assign(document.createElement('script'), { src, type: 'module' }),
    image: (src) => Object.assign(document.createElement('img'), { src }),
    style: (href) => Object.assign(document.createElement('link'), { href, rel: 'stylesheet' }),
    object: (data) => Object.assign(document.createElement('object'), { data }),
  }
  const include = (by: string, make: (url: string) => HTMLElement, { method, path }: Shot) =>
    new Promise<void>((done) => {
      const element = make(`${base}${path}${path.includes('?') ? '&' : '?'}by=${by}`)
      const end = (text: string) => () => {
        if (text !== '') hauls.push({ by, shot: `${method} ${path}`, status: 0, text })
        element.remove()
        done()
      }
      element.addEventListener('load', end('loaded'))
      element.addEventListener('error', end(''))
      // Some are neither: what is no document ends without an event.
      setTimeout(end(''), 3_000)
      document.body.append(element)
    })
  const gets = shots.filter(({ method }) => method === 'GET')
  for (const [by, make] of Object.entries(TAGS)) await Promise.all(gets.map((shot) => include(by, make, shot)))
  return hauls
}

/** Frames, and what forms can send into them. They stay in the page: it cannot see what is in them, the judge can. */
export async function byFrames({ base, shots }: Attack): Promise<number> {
  const loads: Promise<void>[] = []
  const frame = (name: string, isSandboxed: boolean) => {
    const element = Object.assign(document.createElement('iframe'), { name })
    if (isSandboxed) element.setAttribute('sandbox', 'allow-forms allow-scripts')
    document.body.append(element)
    return element
  }
  const loaded = (element: HTMLIFrameElement) =>
    loads.push(
      new Promise((done) => {
        element.addEventListener('load', () => done(), { once: true })
        setTimeout(done, 3_000)
      }),
    )
  const address = (path: string, by: string) => `${base}${path}${path.includes('?') ? '&' : '?'}by=${by}`

  const ENCTYPES = ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data']
  for (const [i, { method, path, body }] of shots.entries()) {
    if (method === 'GET') {
      const element = frame(`frame ${path}`, false)
      loaded(element)
      element.src = address(path, 'frame')
    }
    if (method !== 'POST') continue
    // Operations take JSON alone, and have heard all three from `fetch`: one of them each is enough.
    const enctypes = path.startsWith('/v1/') ? ENCTYPES.slice(i % 3, (i % 3) + 1) : ENCTYPES
    for (const enctype of enctypes) {
      const by = `form-${enctype.slice(-5)}`
      const element = frame(`${by} ${path}`, false)
      const form = Object.assign(document.createElement('form'), {
        ...{ method: 'post', enctype, action: address(path, by), target: element.name },
      })
      const isText = enctype === 'text/plain'
      form.append(
        Object.assign(document.createElement('input'), {
          ...{ name: isText ? (body ?? '{}') : 'number', value: isText ? '' : '12025550999' },
        }),
      )
      document.body.append(form)
      loaded(element)
      form.submit()
    }
    // A sandboxed frame has no origin: what it sends says Origin: null.
    const element = frame(`form-null ${path}`, true)
    const action = address(path, 'form-null').replaceAll('&', '&amp;')
    element.srcdoc = `<form method=post action="${action}"><input name=number value=12025550999></form><script>document.forms[0].submit()</script>`
    loads.push(new Promise((done) => void setTimeout(done, 500)))
  }
  await Promise.all(loads)
  return loads.length
}
