import { expect, test } from 'vitest'
import { testAgents } from '../../support/voice.ts'
import { worldOfTest, type World } from '../../support/world.ts'
import { callingInstance, voiceOf } from './calls.ts'

const ALLOWED = 'https://www.example.com'

async function widgetOf(w: World) {
  const id = await callingInstance(w)
  const { body } = await w.api('POST', `${voiceOf(id)}/widgets`, { name: 'Website', allowed_origins: [ALLOWED] })
  const answer = await w.service.askAsConsole({
    ...{ method: 'POST', path: `/panel${voiceOf(id)}/widgets/${body.id}/test-page` },
    ...{ headers: { 'content-type': 'application/json' }, payload: undefined },
  })
  const chunks: Uint8Array[] = []
  for await (const chunk of answer.body ?? []) chunks.push(chunk)
  const { url } = JSON.parse(Buffer.concat(chunks).toString()) as { url: string }
  return { key: body.public_key as string, url }
}

test('a signed link shows the widget on a page of the service, for half an hour and for no other page', async () => {
  const w = await worldOfTest({ voiceAgents: testAgents() })
  const { key, url } = await widgetOf(w)
  const own = w.service.url
  const { search } = new URL(url)
  const view = (query: string, origin?: string) =>
    fetch(`${own}/widget/${key}${query}`, { headers: origin === undefined ? {} : { origin } })

  const shown = await fetch(url, { headers: { 'accept-language': 'es' } })
  expect(shown.status).toBe(200)
  expect(await shown.text()).toContain('Probar “Website”')
  expect((await view(search)).status).toBe(200)
  expect((await view(search, own)).status).toBe(200)
  expect((await view('', ALLOWED)).status).toBe(200)

  expect((await view('')).status, 'without the link').toBe(403)
  expect((await view('', own)).status, 'the page of the service without the link').toBe(403)
  expect((await view(search, 'https://elsewhere.example')).status, 'another page with the link').toBe(403)
  expect((await view(search, 'null')).status, 'a page without an origin').toBe(403)
  expect((await fetch(`${url}x`)).status, 'a changed signature').toBe(404)
  expect((await view(`${search}x`)).status, 'a changed signature').toBe(403)

  await w.clock.advance(31 * 60_000)
  expect((await fetch(url)).status).toBe(404)
  expect((await view(search)).status).toBe(403)
})
