import { describe, expect, it } from 'vitest'
import type { Delivery } from '../../../main/capabilities/webhooks/contract.ts'
import { tokenizeJson, parseJsonOrText } from '../../../renderer/parts/json-tokens.ts'
import { appended, redeliverEach, refreshed } from '../../../renderer/rooms/webhooks/delivery-pages.ts'

const row = (id: string, status: Delivery['status'] = 'pending') => ({ id, status }) as Delivery
const ids = (rows: readonly Delivery[] | undefined) => rows?.map(({ id }) => id).join(' ')

describe('the log', () => {
  it('adds new rows on top, updates known ones and keeps older ones', () => {
    const merged = refreshed([row('c'), row('b'), row('a')], [row('d'), row('c', 'delivered')], true)
    expect(ids(merged)).toBe('d c b a')
    expect(merged?.[1]?.status).toBe('delivered')
  })
  it('reloads if the newest page does not reach it', () => {
    expect(refreshed([row('a')], [row('d'), row('c')], true)).toBeUndefined()
  })
  it('removes missing rows if the newest page is complete', () => {
    expect(ids(refreshed([row('b'), row('a')], [row('b')], false))).toBe('b')
  })
  it('shows a row once when new ones pushed it onto the next page', () => {
    expect(ids(appended([row('c'), row('b')], [row('b'), row('a')]))).toBe('c b a')
  })
})

describe('redelivering several deliveries', () => {
  it('continues after a refusal and lists the refused ones', async () => {
    const seen: number[] = []
    const act = async (id: string) => {
      if (id === '3') throw new Error('No more than 5.')
    }
    const { done, refused } = await redeliverEach(['1', '2', '3', '4', '5', '6'], act, (now) => seen.push(now.done))
    expect(done).toBe(6)
    expect(refused.map(({ id }) => id)).toEqual(['3'])
    expect(seen).toEqual([1, 2, 3, 4, 5, 6])
  })
  it('requests each once, at most four at a time', async () => {
    let [running, most] = [0, 0]
    const asked: string[] = []
    const act = async (id: string) => {
      asked.push(id)
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 1))
      running--
    }
    const all = Array.from({ length: 20 }, (_, n) => String(n))
    await redeliverEach(all, act, () => {})
    expect(asked).toEqual(all)
    expect(most).toBe(4)
  })
})

describe('displayed JSON', () => {
  const value = { 'a "b"': [1, -2.5e3, true, null, 'x: "y"\n'], c: {} }

  it('keeps every character when colored', () => {
    expect(
      tokenizeJson(value)
        .map(({ text }) => text)
        .join(''),
    ).toBe(JSON.stringify(value, null, 2))
  })
  it('distinguishes keys and strings', () => {
    const of = (kind: string) => tokenizeJson(value).filter((piece) => piece.kind === kind)
    expect(of('key').map(({ text }) => text)).toEqual(['"a \\"b\\""', '"c"'])
    expect(of('string').map(({ text }) => text)).toEqual(['"x: \\"y\\"\\n"'])
    expect(of('number').map(({ text }) => text)).toEqual(['1', '-2500'])
    expect(of('word').map(({ text }) => text)).toEqual(['true', 'null'])
  })
  it('leaves text unchanged that is not JSON', () => {
    expect(parseJsonOrText('<html>')).toBe('<html>')
    expect(parseJsonOrText('{"a":1}')).toEqual({ a: 1 })
  })
})
