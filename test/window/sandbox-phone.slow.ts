import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConsole, type ConsoleWindow } from '../support/window.ts'
import { pairedInstance } from '../support/sandbox.ts'

/** What a simulated phone shows besides messages that stay. */

const [OURS, ANA] = ['12025550200', '12025550101']
let w: ConsoleWindow
let instance: string

beforeAll(async () => {
  w = await openConsole()
  await w.api('POST', '/v1/sandbox/phones', { number: ANA, name: 'Ana Souza' })
  instance = await pairedInstance(w.api, OURS, 'Bakery Luz')
})
afterAll(() => w.remove())

test('a status says whose it is, and messages say when they disappear', async () => {
  const act = (action: string, body: object) => w.api('POST', `/v1/instances/${instance}/engine/smv2/${action}`, body)
  await act('send/text', { to: ANA, text: 'This one stays' })
  await act('chat/disappearing', { to: ANA, seconds: 604_800 })
  await act('send/text', { to: ANA, text: 'This one fades' })
  await act('account/status', { text: 'We bake at night', numbers: [ANA] })
  await w.open(`/sandbox/phones/${ANA}`)
  const bubble = (text: string) => w.page.getByRole('log').getByRole('listitem').filter({ hasText: text })
  await bubble('We bake at night').getByText('Status of Bakery Luz').waitFor()
  await bubble('We bake at night')
    .getByText(/^in 24 hours$/)
    .waitFor()
  await expect.poll(() => bubble('We bake at night').innerText()).toMatch(/Disappears\s+in 24 hours/)
  await expect.poll(() => bubble('This one fades').innerText()).toMatch(/Disappears\s+in 7 days/)
  await expect.poll(() => bubble('This one stays').innerText()).not.toContain('Disappears')
  await expect.poll(() => bubble('We bake at night').getByRole('button').count()).toBe(0)
  await expect.poll(() => bubble('This one stays').getByRole('button').count()).toBe(1)
})
