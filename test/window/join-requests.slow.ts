import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { brokenRules } from '../support/axe.ts'
import { outOfReach } from '../support/reach.ts'
import { pairedInstance } from '../support/sandbox.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

const [OURS, ANA, BEN, EVA] = ['12025550100', '12025550101', '12025550102', '12025550103'] as const
/** Where pictures go, for somebody who wants to look. */
const PICTURES = process.env.JOIN_PICTURES
let w: ConsoleWindow
let page: Page
let group: string
let path: string
let link: string

const strip = () => page.getByRole('group', { name: 'Requests to join' })
const asks = async (number: string) => {
  const { status } = await w.api('POST', `/v1/sandbox/phones/${number}/groups`, { link })
  expect(status).toBe(200)
}
const members = async () =>
  (await w.api('GET', path)).body.participants.map(({ phone }: { phone: string }) => phone).toSorted()

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  const instance = await pairedInstance(w.api, OURS, 'Garden club')
  const groups = `/v1/instances/${instance}/groups`
  group = (await w.api('POST', groups, { subject: 'Neighbours', participants: [BEN] })).body.group
  path = `${groups}/${group}`
  link = (await w.api('PATCH', path, { join_approval: true, invite_link: 'show' })).body.invite_link
  await w.api('POST', `/v1/sandbox/phones/${BEN}/messages`, { to: OURS, group, text: 'Hello everybody' })
  await w.open(`/messages/${instance}/${group}`)
  await page.getByRole('log').getByText('Hello everybody').waitFor()
})
afterAll(() => w.remove())

test('who asks to join appears while the chat is open, and is let in or turned away', async () => {
  await expect.poll(() => strip().count()).toBe(0)
  await asks(ANA)
  await strip().getByText('+1 202 555 0101 asks to join this group.').waitFor()
  await asks(EVA)
  await strip().getByText('1 more person is waiting.').waitFor()
  if (PICTURES) await page.screenshot({ path: `${PICTURES}/join-requests.png` })
  expect(await brokenRules(page)).toEqual([])
  expect(await outOfReach(page)).toEqual([])
  await strip().getByRole('button', { name: 'Approve' }).click()
  await strip().getByText('+1 202 555 0103 asks to join this group.').waitFor()
  expect(await members()).toEqual([OURS, ANA, BEN])
  await strip().getByRole('button', { name: 'Decline' }).click()
  await strip().waitFor({ state: 'detached' })
  expect(await members()).toEqual([OURS, ANA, BEN])
})
