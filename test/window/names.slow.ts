import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConsole, type ConsoleWindow } from '../support/window.ts'
import { liveThroughADay } from './day.ts'
import type { Holdings } from './places.ts'

/** Somebody in the contacts has a name on every screen, also where the network knows only their number. */
let w: ConsoleWindow
let holdings: Holdings
/** Took part in a campaign and never wrote: only the contacts know the name. */
const WRITTEN_TO = '12025551000'

beforeAll(async () => {
  w = await openConsole()
  holdings = await liveThroughADay(w)
  for (const [phone, name] of [
    [WRITTEN_TO, 'Dora Prado'],
    ['12025550123', 'Davi Lima'],
  ] as const)
    await w.api('POST', '/v1/contacts', { phone, name })
  await w.api('POST', `/v1/instances/${holdings.instance}/blocked`, { phone: WRITTEN_TO })
  await w.api('POST', '/v1/opt-outs', { phone: WRITTEN_TO })
})
afterAll(() => w.remove())

const named = async (place: string, name: string) => {
  await w.open(place)
  await w.page.getByRole('main').getByText(name).first().waitFor()
}

test('in lists of chats, of blocked people and opt-outs, of calls and of what happened', async () => {
  const { instance, agents, recording } = holdings
  await named(`/messages/${instance}`, 'Dora Prado')
  await named(`/messages/${instance}/${WRITTEN_TO}`, 'Dora Prado')
  await named(`/instances/${instance}?tab=settings`, 'Dora Prado')
  await named(`/instances/${instance}`, 'Dora Prado')
  await named('/opt-outs', 'Dora Prado')
  await named(`/agents/${agents}?tab=chats`, 'Carla')
  await named('/recordings', 'Davi Lima')
  await w.open(`/recordings/${agents}/${recording}`)
  await w.page.getByRole('heading', { level: 1, name: 'Davi Lima' }).waitFor()
})

test('in a poll, where the one who voted has written', async () => {
  const { instance, chat } = holdings
  await w.open(`/messages/${instance}/${chat}`)
  const poll = w.page.getByRole('listitem').filter({ hasText: 'Today' }).filter({ hasText: '1 vote' })
  await poll.getByText('Ana Souza').waitFor()
})

test('in the palette, which leads to their chat or to the contact', async () => {
  const { page } = w
  await w.api('POST', '/v1/contacts', { phone: '12025550777', name: 'Olga Ferreira' })
  const find = async (words: string, name: string) => {
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Search or jump to…').fill(words)
    await page.getByRole('option', { name }).click()
  }
  await w.open('/settings')
  await find('souza', 'Ana Souza')
  await page.getByPlaceholder('Write a message').waitFor()
  expect(page.url()).toMatch(new RegExp(`/messages/[\\w-]+/${holdings.chat}$`))
  await find('olga', 'Olga Ferreira')
  await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor()
  await page.getByRole('row').filter({ hasText: 'Olga Ferreira' }).waitFor()
  await page.getByRole('row').filter({ hasText: 'Dora Prado' }).waitFor({ state: 'detached' })
})

test('never an id of the network, of somebody who hides their number', async () => {
  const { instance } = holdings
  const HIDDEN = '900000000000001'
  await w.api('POST', '/v1/sandbox/phones', { number: HIDDEN, name: 'Lia' })
  await w.api('POST', `/v1/sandbox/phones/${HIDDEN}/messages`, { to: '12025550100', text: 'Is this the bakery?' })
  await w.open(`/messages/${instance}/${HIDDEN}`)
  const chat = w.page.getByRole('region', { name: 'Lia' })
  await chat.getByText('Number hidden', { exact: true }).waitFor()
  await expect.poll(() => chat.getByRole('link', { name: 'Call Lia' }).count()).toBe(0)
  await w.open('/contacts?find=Lia')
  const row = w.page.getByRole('row').filter({ hasText: 'Lia' })
  await row.getByText('Number hidden', { exact: true }).waitFor()
  await expect.poll(() => w.page.getByRole('main').innerText()).not.toContain('00000000')
})

test('in a group: over what they wrote, in quotes of it, and where they ask to join', async () => {
  const { page, api } = w
  const { instance, group } = holdings
  const [ben, asks] = ['12025550103', '12025550112']
  await api('POST', `/v1/sandbox/phones/${ben}/messages`, {
    to: '12025550100',
    group,
    text: `Who brings bread? @${holdings.chat}`,
  })
  await api('POST', '/v1/contacts', { phone: ben, name: 'Ben from next door' })
  await api('POST', '/v1/contacts', { phone: asks, name: 'Rita Alves' })
  await w.open(`/messages/${instance}/${group}`)
  await page.getByRole('log').getByText('Ben from next door').waitFor()
  await page.getByRole('log').getByText('Who brings bread? @Ana Souza').waitFor()
  await page.getByRole('link', { name: 'Our street' }).getByText('@Ana Souza').waitFor()
  await page.getByRole('region', { name: 'Our street' }).getByText('3 members').waitFor()
  await page.getByRole('group', { name: 'Requests to join' }).getByText('Rita Alves asks to join this group.').waitFor()
  const message = page.getByRole('article').filter({ hasText: 'Who brings bread?' })
  await message.hover()
  await page.getByRole('button', { name: 'Reply', exact: true }).last().click()
  await page.getByRole('textbox', { name: 'Write a message' }).fill('I do')
  await page.keyboard.press('Enter')
  await page.getByRole('article').filter({ hasText: 'I do' }).getByText('Ben from next door').waitFor()
})

test('at once, where somebody is given a name', async () => {
  const { instance } = holdings
  await w.open(`/messages/${instance}`)
  await w.page.getByRole('main').getByText('+1 202 555 0404').first().waitFor()
  await w.api('POST', '/v1/contacts', { phone: '12025550404', name: 'Nina Costa' })
  await w.page.getByRole('main').getByText('Nina Costa').first().waitFor()
  expect(w.complaints).toEqual([])
})
