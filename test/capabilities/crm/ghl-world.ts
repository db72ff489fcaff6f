import { onTestFinished, vi } from 'vitest'
import { systemClock, type Clock } from '../../../main/kernel/clock.ts'
import { world, type Reply, type World, type WorldOptions } from '../../support/world.ts'

/** Real time that a test can move forward; what is due by then is looked for within a second. */
interface MovableClock extends Clock {
  move(ms: number): void
}

function movableClock(): MovableClock {
  let ahead = 0
  return {
    ...systemClock,
    now: () => systemClock.now() + ahead,
    uptime: () => systemClock.uptime() + ahead,
    move: (ms) => void (ahead += ms),
  }
}

export interface GhlWorld extends World {
  readonly moving: MovableClock
  /** Allows the app on the consent page, for the location with this name, and lets the browser come back. */
  consent(authorizationUrl: string, choice?: { location?: string; deny?: boolean }): Promise<Reply>
  /** An smv2 instance that is paired and connected with the first location of the simulator. */
  connected(number?: string): Promise<any>
  ghl(id: string): Promise<any>
  /** The conversation of a number at the simulator. */
  conversation(phone: string): Promise<any>
  /** Its messages, oldest first. */
  thread(phone: string): Promise<any[]>
  say(phone: string, to: string, text: string): Promise<void>
  must(method: string, path: string, body?: object): Promise<any>
}

/** Waits for what happens within milliseconds, over sockets. */
export const until = <T>(look: () => Promise<T>) => vi.waitFor(look, { timeout: 60_000, interval: 15 })

export async function consent(
  w: World,
  authorizationUrl: string,
  { location = 'Main office', deny = false }: { location?: string; deny?: boolean } = {},
): Promise<Reply> {
  const { pathname, search } = new URL(authorizationUrl)
  const page = await w.api('GET', `${pathname}${search}`, undefined, { key: null })
  const options = [...page.text.matchAll(/<option value="([^"]+)">([^<]+)</g)]
  const chosen = options.find(([, , name]) => name === location)?.[1] ?? ''
  const form = new URLSearchParams({ decision: deny ? 'deny' : 'allow', location: chosen }).toString()
  const answer = await w.service.door.app.inject({
    method: 'POST',
    url: `${pathname}${search}`,
    headers: { host: w.host, 'content-type': 'application/x-www-form-urlencoded' },
    payload: form,
  })
  const back = new URL(String(answer.headers['location']))
  return w.api('GET', `${back.pathname}${back.search}`, undefined, { key: null })
}

export async function ghlWorld(options: WorldOptions = {}): Promise<GhlWorld> {
  const moving = movableClock()
  const w = await world({ clock: moving, ...options })
  const must: GhlWorld['must'] = async (method, path, body) => {
    const answer = await w.api(method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.body
  }
  const made: GhlWorld = {
    ...w,
    moving,
    must,
    consent: (authorizationUrl, choice) => consent(w, authorizationUrl, choice),
    async connected(number) {
      const { id } = await must('POST', '/v1/instances', {})
      const { pairing_code } = await must('GET', `/v1/instances/${id}/qr`)
      await must('POST', `/v1/sandbox/phones/${number ?? nextNumber()}/scan`, { pairing_code })
      const instance = await until(async () => {
        const record = await must('GET', `/v1/instances/${id}`)
        if (record.status !== 'connected') throw new Error(record.status)
        return record
      })
      const { authorization_url } = await must('POST', `/v1/instances/${id}/ghl/connect`, { mode: 'oauth' })
      const page = await made.consent(authorization_url)
      if (page.status !== 200) throw new Error(page.text)
      return instance
    },
    ghl: (id) => must('GET', `/v1/instances/${id}/ghl`),
    async conversation(phone) {
      const { data } = await must('GET', `/v1/sandbox/ghl/conversations?phone=${phone}`)
      return data[0]
    },
    async thread(phone) {
      const conversation = await made.conversation(phone)
      if (conversation === undefined) return []
      const { data } = await must('GET', `/v1/sandbox/ghl/conversations/${conversation.id}/messages?limit=200`)
      return data.toReversed()
    },
    say: (phone, to, text) => must('POST', `/v1/sandbox/phones/${phone}/messages`, { to, text }),
  }
  return made
}

/** A world that ends with the test that asks for it. */
export async function ghlWorldOfTest(options: WorldOptions = {}): Promise<GhlWorld> {
  const made = await ghlWorld(options)
  onTestFinished(() => made.close())
  return made
}

let numbers = 0
const nextNumber = () => String(12_025_551_000 + numbers++)
