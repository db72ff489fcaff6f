import { beforeEach, describe, expect, test } from 'vitest'
import { codeOf } from '../../main/outbound/connect-failure.ts'
import { createNameLookup, type NameLookup } from '../../main/outbound/name-lookup.ts'
import { fakeClock, settle, type FakeClock } from '../support/clock.ts'

let clock: FakeClock
let asked: string[]
let underway: number
let peak: number
let names: NameLookup
/** How long a lookup takes and what it returns; null fails. Default: immediately, a public address. */
let zone: Record<string, { ms?: number; addresses?: string[] | null }>

beforeEach(() => {
  clock = fakeClock()
  asked = []
  underway = 0
  peak = 0
  zone = {}
  names = createNameLookup({
    clock,
    async resolve(host) {
      asked.push(host)
      peak = Math.max(peak, ++underway)
      const { ms = 0, addresses = ['93.184.216.34'] } = zone[host] ?? {}
      try {
        if (ms > 0) await clock.sleep(ms)
        if (!addresses) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
        return addresses
      } finally {
        underway--
      }
    },
  })
})

describe('name lookups', () => {
  test('are shared by callers that need the same name', async () => {
    zone['a.example'] = { ms: 100 }
    const all = Promise.all(Array.from({ length: 50 }, () => names.addresses('a.example')))
    await clock.advance(100)
    expect(new Set(await all)).toHaveLength(1)
    expect(asked).toEqual(['a.example'])
  })

  test('are cached for 30 s', async () => {
    await names.addresses('a.example')
    await clock.advance(29_999)
    await names.addresses('a.example')
    expect(asked).toHaveLength(1)
    await clock.advance(1)
    await names.addresses('a.example')
    expect(asked).toHaveLength(2)
  })

  test('are cached for 5 s when they fail', async () => {
    zone['a.example'] = { addresses: null }
    await expect(names.addresses('a.example')).rejects.toMatchObject({ code: 'ENOTFOUND' })
    await clock.advance(4_999)
    await expect(names.addresses('a.example')).rejects.toMatchObject({ code: 'ENOTFOUND' })
    expect(asked).toHaveLength(1)
    zone = {}
    await clock.advance(1)
    expect(await names.addresses('a.example')).toEqual(['93.184.216.34'])
  })

  test('fail for a name without addresses', async () => {
    zone['a.example'] = { addresses: [] }
    await expect(names.addresses('a.example')).rejects.toMatchObject({ code: 'ENODATA' })
  })

  test('run again immediately after the cache expires', async () => {
    await names.addresses('a.example')
    names.expireAll()
    await names.addresses('a.example')
    expect(asked).toHaveLength(2)
  })

  test('P-07 run at most two in parallel', async () => {
    const hosts = Array.from({ length: 40 }, (_, i) => `n${i}.example`)
    for (const host of hosts) zone[host] = { ms: 50 }
    const all = Promise.all(hosts.map((host) => names.addresses(host)))
    await clock.advance(40 * 50)
    expect(await all).toHaveLength(40)
    expect(peak).toBe(2)
  })

  test('P-07 of names that hang leave one of the two slots to healthy names, after the first time', async () => {
    const dead = ['d1.example', 'd2.example', 'd3.example', 'd4.example']
    for (const host of dead) zone[host] = { ms: 10_000, addresses: null }
    const waits: number[] = []
    const askDead = () => {
      for (const host of dead) names.addresses(host).catch(() => {})
    }
    await names.addresses('ok.example')
    askDead()
    await clock.advance(25_000)
    for (let i = 0; i < 20; i++) {
      askDead()
      names.expireAll()
      const startedMs = clock.mono()
      const done = names.addresses('ok.example').then(() => waits.push(clock.mono() - startedMs))
      await clock.advance(1_000)
      await done
    }
    expect(Math.max(...waits)).toBeLessThan(200)
    expect(peak).toBe(2)
  })

  test('P-07 are refused when the queue is too long', async () => {
    const refused: string[] = []
    for (let i = 0; i < 600; i++) {
      zone[`n${i}.example`] = { ms: 1_000 }
      names.addresses(`n${i}.example`).catch((error: unknown) => refused.push(codeOf(error)))
    }
    await settle()
    expect(refused).toHaveLength(600 - 512 - 2)
    expect(new Set(refused)).toEqual(new Set(['EBUSY']))
  })

  test('P-07 of any number of names under one domain leave room for others', async () => {
    const made = Array.from({ length: 300 }, (_, at) => `n${at}.slow.stranger.example`)
    for (const host of made) zone[host] = { ms: 10_000, addresses: null }
    const refused: string[] = []
    for (const host of made) names.addresses(host).catch((error: unknown) => refused.push(codeOf(error)))
    await settle()
    expect(refused).toHaveLength(300 - 64 - 2)
    // The first few show what they are.
    await clock.advance(20_000)
    const startedMs = clock.mono()
    const found = ['a.example', 'b.example', 'shop.com.br'].map(async (host) => {
      await names.addresses(host)
      return clock.mono() - startedMs
    })
    await clock.advance(11_000)
    expect(Math.max(...(await Promise.all(found)))).toBeLessThan(10_500)
    for (let at = 300; at < 320; at++) zone[`n${at}.slow.stranger.example`] = { ms: 10_000, addresses: null }
    for (let at = 300; at < 320; at++) names.addresses(`n${at}.slow.stranger.example`).catch(() => {})
    const laterMs = clock.mono()
    await names.addresses('c.example')
    expect(clock.mono() - laterMs).toBeLessThan(200)
  })

  test('of names under one public suffix count separately for each domain', async () => {
    for (let at = 0; at < 5; at++) {
      zone[`n${at}.bad.com.br`] = { addresses: null }
      await expect(names.addresses(`n${at}.bad.com.br`)).rejects.toThrow()
    }
    zone['n9.bad.com.br'] = { ms: 10_000 }
    zone['n8.bad.com.br'] = { ms: 10_000 }
    for (const host of ['n8.bad.com.br', 'n9.bad.com.br']) names.addresses(host).catch(() => {})
    expect(await names.addresses('good.com.br')).toEqual(['93.184.216.34'])
  })

  test('of a working name are not delayed by others of its domain, or by an outage that is over', async () => {
    await names.addresses('www.shop.example')
    for (const host of ['a.shop.example', 'b.shop.example', 'c.shop.example']) {
      zone[host] = { addresses: null }
      await expect(names.addresses(host)).rejects.toThrow()
    }
    zone['d.shop.example'] = { ms: 10_000 }
    names.addresses('d.shop.example').catch(() => {})
    await clock.advance(30_000 - 1)
    names.addresses('e.shop.example').catch(() => {})
    zone['f.shop.example'] = { ms: 10_000 }
    names.addresses('f.shop.example').catch(() => {})
    await clock.advance(1)
    const startedMs = clock.mono()
    await names.addresses('www.shop.example')
    expect(clock.mono() - startedMs).toBe(0)
    names.expireAll()
    await names.addresses('g.shop.example')
    expect(clock.mono() - startedMs).toBe(0)
  })
})
