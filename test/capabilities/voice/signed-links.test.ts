import { expect, test } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { backUp, goBack, newHome, WAYS } from '../../support/restores.ts'
import { testAgents } from '../../support/voice.ts'
import { world, worldOfTest, type World } from '../../support/world.ts'
import { callingInstance, voiceOf } from './calls.ts'

/** A service is started twice in each. */
/** The links of an account do not say who made them: all of them end with a key that could have. */
const revokeAKey = async (w: World) => {
  const { id } = await w.key()
  expect((await asConsole(w)('DELETE', `/v1/keys/${id}`)).status).toBeLessThan(300)
}

/** The test page of a new widget, behind a signed link. */
async function testPageOf(w: World) {
  const widgets = `${voiceOf(await callingInstance(w))}/widgets`
  const site = { name: 'Site', allowed_origins: ['https://www.example.com'] }
  const { body: widget } = await w.api('POST', widgets, site)
  const linkOf = async (of: World) => {
    const { body } = await asConsole(of)('POST', `${widgets}/${widget.id}/test-page`)
    const status = async (at: World) => (await at.api('GET', body.path, undefined, { key: null })).status
    return { status, again: linkOf }
  }
  return linkOf(w)
}

test('a signed link works after a restart, and one that ended with a key does not', async () => {
  const w = await world({ home: newHome(), voiceAgents: testAgents() })
  const ended = await testPageOf(w)
  await revokeAKey(w)
  const lasting = await ended.again(w)
  expect([await ended.status(w), await lasting.status(w)]).toEqual([404, 200])
  await w.close()

  const after = await worldOfTest({ home: w.home, vault: w.vault, clock: w.clock, seed: 2, voiceAgents: testAgents() })
  expect([await ended.status(after), await lasting.status(after)]).toEqual([404, 200])
})

test('a signed link does not become valid again when the clock is set back', async () => {
  const w = await world({ voiceAgents: testAgents() })
  const page = await testPageOf(w)
  await w.clock.advance(1_801_000)
  expect(await page.status(w)).toBe(404)
  w.clock.set(w.clock.now() - 86_400_000)
  await w.clock.advance(5_000)
  expect(await page.status(w)).toBe(404)
  expect(await (await page.again(w)).status(w)).toBe(200)
})

test.each(Object.keys(WAYS) as (keyof typeof WAYS)[])(
  'D-10 when %s, a signed link that ended since stays ended',
  async (way) => {
    const w = await world({ home: newHome(), voiceAgents: testAgents() })
    const page = await testPageOf(w)
    const name = await backUp(w)
    expect(await page.status(w)).toBe(200)
    await revokeAKey(w)

    const after = await goBack(w, name, way)
    expect(await page.status(after)).toBe(404)
    expect(await (await page.again(after)).status(after)).toBe(200)
  },
)
