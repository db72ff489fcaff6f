import { testHome } from '../../support/service-process.ts'
import { Objection, type Court, type Judge } from '../court.ts'
import { openBrowser, type Browser, type Page } from './browser.ts'
import { furnish, type House } from './house.ts'
import { openRebound, openSite, openUnguarded } from './servers.ts'
import { byElements, byFrames, byRequests, type Attack, type Haul } from './techniques.ts'

const RATES = { SWITCHBOARD_ANONYMOUS_RATE_LIMIT_PER_MINUTE: '1000000' }
/** As for an office: reachable from other machines, and published under a name. */
const LAN = {
  ...{ SWITCHBOARD_HOST: '0.0.0.0', SWITCHBOARD_ALLOW_LAN: 'true', SWITCHBOARD_SANDBOX_TIMELINE_MS: '0,0,0,0' },
  SWITCHBOARD_PUBLIC_BASE_URL: 'https://hub.example',
}
const SHOTS_OF_CONTROL = [
  { method: 'GET', path: '/secret', body: null },
  { method: 'POST', path: '/change', body: '{"name":"Made by a page"}' },
]
/** What must have worked against a server without guards, or it would prove nothing here. */
const MUST_READ = [
  ...['cors-key', 'cors-get', 'cors-credentials', 'cors-text', 'no-cors-get', 'no-cors-text', 'no-cors-form'],
  ...['no-cors-multipart', 'no-cors-null', 'websocket', 'event-source', 'script', 'module', 'image', 'style', 'object'],
]
const MUST_CHANGE = [
  ...['cors-key', 'cors-text', 'no-cors-text', 'no-cors-form', 'no-cors-multipart', 'no-cors-null', 'beacon'],
  ...['beacon-form', 'form-coded', 'form-plain', 'form--data', 'form-null'],
]

/** A web page that somebody opens on the machine of the service: it may have any name, and even a key. */
export const judge: Judge = {
  about: 'a hostile page in Chromium, on default and on LAN settings',
  async judge(court: Court) {
    const lan = testHome()
    const closing: (() => Promise<void>)[] = [() => lan.remove()]
    const opened = async <T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> => {
      const thing = await opening
      closing.push(() => thing.close())
      return thing
    }
    try {
      const service = await lan.start({ ...RATES, ...LAN })
      const { key } = await lan.key('judge')
      const houses = [await furnish(court.url, court.key, court.api), await furnish(service.url, key, service.api(key))]
      const site = await opened(openSite())
      const unguarded = await opened(openUnguarded())
      const ports = [unguarded.port, ...houses.map(({ url }) => Number(new URL(url).port))]
      const rebounds = await Promise.all(ports.map((port) => opened(openRebound(port))))
      const browser = await opened(
        openBrowser([
          `evil.example 127.0.0.1`,
          ...ports.map((port, i) => `rebound.example:${port} 127.0.0.1:${rebounds[i]?.port ?? 0}`),
        ]),
      )
      const strangers = [`http://evil.example:${site.port}`, `http://127.0.0.1:${site.port}`]
      const world = { browser, strangers, rebounds, unguarded }
      await control(world)
      const refused = await Promise.all(houses.map((house, i) => attackAll(world, house, i + 1)))
      if (/"level":[56]0/.test(service.errors())) throw new Objection(`The service wrote:\n${service.errors()}`)
      return `${houses[0]?.shots.length ?? 0} requests, each in every way; ${refused.join(' + ')} refusals seen, nothing read, nothing changed (Chromium ${browser.version()})`
    } finally {
      for (const close of closing.reverse()) await close()
    }
  },
}

interface World {
  readonly browser: Browser
  readonly strangers: readonly string[]
  readonly rebounds: readonly { rebind(): void }[]
  readonly unguarded: Awaited<ReturnType<typeof openUnguarded>>
}

async function onPage<T>(browser: Browser, url: string, act: (page: Page) => Promise<T>): Promise<T> {
  const page = await browser.newPage()
  try {
    await page.goto(url)
    return await act(page)
  } finally {
    await page.close()
  }
}

/** Frames within the page that show what they were led to, rather than the browser's own page of refusal. */
const shown = (page: Page, base: string) =>
  page
    .frames()
    .slice(1)
    .filter((frame) => frame.url().startsWith(base))

async function control({ browser, strangers, rebounds, unguarded }: World): Promise<void> {
  const base = `http://127.0.0.1:${unguarded.port}`
  const attack: Attack = { base, key: 'any', shots: SHOTS_OF_CONTROL }
  const read = await onPage(browser, `${strangers[0] ?? ''}/`, async (page) => {
    const hauls = [...(await page.evaluate(byRequests, attack)), ...(await page.evaluate(byElements, attack))]
    await page.evaluate(byFrames, attack)
    if (shown(page, base).length === 0) throw new Objection('Not even a page without guards was shown in a frame.')
    return new Set(hauls.map(({ by }) => by))
  })
  const failed = [...MUST_READ.filter((by) => !read.has(by)), ...MUST_CHANGE.filter((by) => !unguarded.changed.has(by))]
  if (failed.length > 0) throw new Objection(`Against a server without guards these failed: ${failed.join(', ')}.`)

  const rebound = `http://rebound.example:${unguarded.port}`
  const hauls = await onPage(browser, `${rebound}/`, async (page) => {
    rebounds[0]?.rebind()
    return page.evaluate(byRequests, { ...attack, base: rebound })
  })
  if (!hauls.some(({ by, text }) => by === 'cors-key' && text.includes('secret')))
    throw new Objection('Rebinding failed against a server without guards.')
}

/** @returns how many refusals were seen: in frames, and by the page whose name was rebound. */
async function attackAll({ browser, strangers, rebounds }: World, house: House, at: number): Promise<number> {
  const before = await house.snapshot()
  const { port } = new URL(house.url)
  let refusals = 0
  // A page from elsewhere, and one of another program on this machine, which for the browser is the same site.
  const [far = '', near = ''] = strangers
  const attack: Attack = { base: `http://localhost:${port}`, key: house.key, shots: house.shots }
  await onPage(browser, `${far}/`, async (page) => {
    mustBeNothing(far, await page.evaluate(byRequests, attack))
    mustBeNothing(far, await page.evaluate(byElements, attack))
    refusals += await page.evaluate(byFrames, attack)
    mustShowNothing(page, attack.base)
  })
  const neighbour = { ...attack, base: `http://127.0.0.1:${port}` }
  await onPage(browser, `${near}/`, async (page) => {
    mustBeNothing(near, await page.evaluate(byRequests, neighbour))
    const shots = neighbour.shots.filter(({ path }) => !path.startsWith('/v1/'))
    mustBeNothing(near, await page.evaluate(byElements, { ...neighbour, shots }))
  })
  const rebound = `http://rebound.example:${port}`
  await onPage(browser, `${rebound}/`, async (page) => {
    rebounds[at]?.rebind()
    const ours: Attack = { ...attack, base: rebound }
    const hauls = await page.evaluate(byRequests, ours)
    refusals += hauls.length
    mustBeRefused(hauls, house)
    mustBeNothing(rebound, await page.evaluate(byElements, ours))
    refusals += await page.evaluate(byFrames, { ...ours, shots: ours.shots.filter(({ method }) => method === 'GET') })
    mustShowNothing(page, rebound)
  })
  const after = await house.snapshot()
  const changed = Object.keys(before).filter((path) => before[path] !== after[path])
  if (changed.length > 0) {
    const [path = ''] = changed
    throw new Objection(`The pages changed ${changed.join(', ')}:\n${before[path] ?? ''}\n${after[path] ?? ''}`)
  }
  await house.tryInEarnest()
  return refusals
}

const told = ({ by, shot, status, text }: Haul) => `${by}, ${shot}: ${status} ${text}`

/** A page of another origin gets no answer at all, not even one that is closed to it. */
function mustBeNothing(who: string, hauls: readonly Haul[]): void {
  if (hauls.length > 0)
    throw new Objection(`${who} got ${hauls.length} answers:\n${hauls.slice(0, 20).map(told).join('\n')}`)
}

/** A rebound name makes the page one of our own for the browser; so it may read, and reads that the name is refused. */
function mustBeRefused(hauls: readonly Haul[], { shots }: House): void {
  // Under a wrong name every access link shows what an unknown one shows.
  const isUnknownLink = ({ shot, status, text }: Haul) =>
    shot.includes(' /link/') && status === 404 && text.includes('This link does not work')
  const isRefusal = (haul: Haul) =>
    (haul.status === 403 && haul.text.includes('"code":"forbidden_host"')) || isUnknownLink(haul)
  const others = hauls.filter((haul) => !isRefusal(haul))
  if (others.length > 0) throw new Objection(`A rebound name got:\n${others.slice(0, 20).map(told).join('\n')}`)
  const answered = hauls.filter(({ by }) => by === 'cors-key').length
  if (answered !== shots.length) throw new Objection(`Only ${answered} of ${shots.length} requests were refused aloud.`)
}

function mustShowNothing(page: Page, base: string): void {
  const frames = shown(page, base)
  if (frames.length > 0)
    throw new Objection(
      `Shown in a frame: ${frames
        .slice(0, 20)
        .map((frame) => frame.url())
        .join(', ')}`,
    )
}
