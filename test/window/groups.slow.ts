import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { brokenRules } from '../support/axe.ts'
import { outOfReach } from '../support/reach.ts'
import { pairedInstance } from '../support/sandbox.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** The groups, channels and communities of a number, on its page. */

const [OURS, ANA, BEN, EVA] = ['12025550100', '12025550101', '12025550102', '12025550103'] as const
const NOBODY = '12025550404'
/** Where pictures go, for somebody who wants to look. */
const PICTURES = process.env.GROUP_PICTURES

let w: ConsoleWindow
let page: Page
let instance: string
let groups: string

const groupNamed = async (name: string) =>
  (await w.api('GET', `${groups}?q=${encodeURIComponent(name)}`)).body.data.find(
    ({ subject }: { subject: string }) => subject === name,
  )
const card = (name: string | RegExp) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name, exact: true }) })
const press = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).click()
const dialog = () => page.getByRole('dialog')
const toList = () => w.open(`/instances/${instance}?tab=groups`)
async function look(name: string): Promise<void> {
  expect(await brokenRules(page)).toEqual([])
  if (!PICTURES) return
  for (const width of [390, 768, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    await page.screenshot({ path: `${PICTURES}/${name}-${width}.png`, fullPage: true })
  }
}

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  page.setDefaultTimeout(20_000)
  for (const [number, name] of [
    [ANA, 'Ana Souza'],
    [BEN, 'Ben Lima'],
    [EVA, 'Eva Prado'],
  ])
    await w.api('POST', '/v1/sandbox/phones', { number, name })
  instance = await pairedInstance(w.api, OURS, 'Garden club')
  groups = `/v1/instances/${instance}/groups`
  for (const number of [ANA, BEN, EVA])
    await w.api('POST', `/v1/sandbox/phones/${number}/messages`, { to: OURS, text: 'Hello' })
})
afterAll(() => w.remove())

test('a group is created, and who could not be added is named', async () => {
  await toList()
  await page.getByText('This number is in no group.').waitFor()
  await press('New group')
  await dialog().getByRole('button', { name: 'Create' }).click()
  await dialog().getByText('Enter a name.').waitFor()
  await dialog().getByLabel('Name').fill('Neighbours')
  await dialog().getByLabel('Phone numbers').fill(`+1 202 555 0101\n${NOBODY}`)
  await dialog().getByRole('button', { name: 'Create' }).click()
  await dialog().getByText('This number is not on WhatsApp.').waitFor()
  await dialog().getByRole('button', { name: 'Show the group' }).click()
  await page.getByRole('heading', { name: 'Neighbours' }).waitFor()
  await page.getByRole('heading', { name: '2 members' }).waitFor()
  expect(await groupNamed('Neighbours')).toMatchObject({ admin: true, kind: 'group' })
  await look('group')
  await page.setViewportSize({ width: 390, height: 900 })
  expect(await outOfReach(page)).toEqual([])
  await page.setViewportSize({ width: 1280, height: 900 })
})

test('members are added, made admins and removed', async () => {
  await card('2 members').getByRole('button', { name: 'Add' }).click()
  await dialog().getByLabel('Phone numbers').fill('not a number')
  await dialog().getByRole('button', { name: 'Add', exact: true }).click()
  await dialog().getByText('Enter phone numbers with country code').waitFor()
  await dialog().getByLabel('Phone numbers').fill(BEN)
  await dialog().getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('heading', { name: '3 members' }).waitFor()
  await press('Actions for Ana Souza')
  await page.getByRole('menuitem', { name: 'Make admin' }).click()
  await page.getByText('Ana Souza is now an admin').first().waitFor()
  const admins = async () =>
    (await groupNamed('Neighbours')).participants.flatMap(({ phone, admin }: any) => (admin ? phone : []))
  expect((await admins()).toSorted()).toEqual([OURS, ANA])
  await press('Actions for Ben Lima')
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await dialog().getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('heading', { name: '2 members' }).waitFor()
})

test('the settings are changed and taken back', async () => {
  const before = await groupNamed('Neighbours')
  await page.getByRole('switch', { name: 'Only admins may write' }).click()
  await page.getByText('The group was changed').first().waitFor()
  expect((await groupNamed('Neighbours')).announce).toBe(!before.announce)
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await page.getByText('Undone').first().waitFor()
  expect((await groupNamed('Neighbours')).announce).toBe(before.announce)
  await page.getByRole('switch', { name: 'Admins approve new members' }).click()
  await expect.poll(async () => (await groupNamed('Neighbours')).join_approval).toBe(true)
  await page.getByRole('combobox', { name: 'Disappearing messages' }).click()
  await page.getByRole('option', { name: '7 days' }).click()
  const { group } = await groupNamed('Neighbours')
  const info = async () => w.api('POST', `/v1/instances/${instance}/engine/smv2/chat/info`, { to: group })
  await expect.poll(async () => (await info()).body.result.disappearing_seconds).toBe(604_800)
})

test('the invite link is shown and revoked, and who asks with it is let in or declined', async () => {
  await press('Show link')
  const shown = () => card('Invite link').locator('code').textContent()
  await card('Invite link').locator('code').waitFor()
  const first = await shown()
  await press('Revoke and create a new one')
  await dialog().getByRole('button', { name: 'Revoke and create a new one' }).click()
  await expect.poll(shown).not.toBe(first)
  const link = await shown()
  for (const number of [BEN, EVA]) await w.api('POST', `/v1/sandbox/phones/${number}/groups`, { link })
  await press('Approve Ben Lima')
  await page.getByRole('heading', { name: '3 members' }).waitFor()
  await press('Decline Eva Prado')
  await card('Requests to join').waitFor({ state: 'detached' })
  const { participants } = await groupNamed('Neighbours')
  expect(participants.map(({ phone }: any) => phone).toSorted()).toEqual([OURS, ANA, BEN])
})

test('name and description are edited', async () => {
  await press('Edit')
  await dialog().getByLabel('Name').fill('Our street')
  await dialog().getByLabel('Description').fill('Who waters the plants?')
  await dialog().getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Our street' }).waitFor()
  expect(await groupNamed('Our street')).toMatchObject({ description: 'Who waters the plants?' })
})

test('somebody who is not an admin sees the group, and nothing to change it with', async () => {
  const { group } = await groupNamed('Our street')
  await w.api('PATCH', `${groups}/${group}`, { locked: true, member_add: 'admins', remove_admins: [OURS] })
  await page.getByText('This number is not an admin of the group').waitFor()
  for (const name of ['Edit', 'Add', 'Show link', 'Actions for Ana Souza'])
    expect([name, await page.getByRole('button', { name, exact: true }).count()]).toEqual([name, 0])
  await card('Settings').getByText('Only admins may edit the group').waitFor()
  for (const role of ['switch', 'combobox'] as const) await expect.poll(() => page.getByRole(role).count()).toBe(0)
  await look('member')
  await press('Leave')
  await dialog().getByRole('button', { name: 'Leave' }).click()
  await page.getByText('This number is in no group.').waitFor()
})

test('the list is searched, and a group is joined with a link', async () => {
  for (const subject of ['Jardín', 'Kitchen']) await w.api('POST', groups, { subject })
  await page.getByRole('searchbox', { name: 'Search groups' }).fill('jardin')
  await page.getByRole('button', { name: 'Kitchen' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Jardín' }).waitFor()
  await page.getByRole('searchbox', { name: 'Search groups' }).fill('')
  await page.getByRole('button', { name: 'Kitchen' }).waitFor()
  await press('Join with a link')
  await dialog().getByLabel('Invite link').fill('https://example.com')
  await dialog().getByRole('button', { name: 'Join' }).click()
  await dialog().getByText('Paste the whole invite link.').waitFor()
  await dialog().getByLabel('Invite link').fill('https://chat.sandbox/NOTHING1')
  await dialog().getByRole('button', { name: 'Join' }).click()
  await dialog().getByText('This invite link doesn’t work for this number.').waitFor()
  const other = await pairedInstance(w.api, EVA, 'Eva')
  const theirs = `/v1/instances/${other}/groups`
  const { group } = (await w.api('POST', theirs, { subject: 'Eva’s group' })).body
  const { invite_link } = (await w.api('PATCH', `${theirs}/${group}`, { invite_link: 'show' })).body
  await dialog().getByLabel('Invite link').fill(invite_link)
  await dialog().getByRole('button', { name: 'Join' }).click()
  await page.getByRole('heading', { name: 'Eva’s group' }).waitFor()
  await press('All groups')
  await page.getByRole('button', { name: 'Eva’s group' }).waitFor()
})

test('a channel is followed, unfollowed and taken back, and a post is sent in the own one', async () => {
  const channels = card('Channels')
  await channels.getByLabel('Link of a channel').fill('https://channel.sandbox/SandboxNews')
  await channels.getByRole('button', { name: 'Follow', exact: true }).click()
  await channels.getByText('1,205 followers').waitFor()
  await channels.getByRole('button', { name: 'Unfollow Sandbox news' }).click()
  await page.getByText('Sandbox news is no longer followed').first().waitFor()
  await expect.poll(() => channels.getByText('Sandbox news').count()).toBe(0)
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await channels.getByText('Sandbox news').waitFor()
  await channels.getByRole('button', { name: /^Post in Channel of/ }).click()
  await dialog().getByRole('button', { name: 'Post', exact: true }).click()
  await dialog().getByText('Write something first.').waitFor()
  await dialog().getByRole('textbox', { name: 'Message' }).fill('Fresh bread')
  await dialog().getByRole('button', { name: 'Post', exact: true }).click()
  await page
    .getByText(/^Posted in Channel of/)
    .first()
    .waitFor()
})

test('a picture is posted in a channel with its caption, and what is no link is refused', async () => {
  await card('Channels')
    .getByRole('button', { name: /^Post in Channel of/ })
    .click()
  await dialog().getByRole('radio', { name: 'Photo' }).click()
  await dialog().getByRole('button', { name: 'Post', exact: true }).click()
  await dialog().getByText('Enter a link that begins with https://').waitFor()
  await dialog().getByLabel('File URL').fill('https://media.sandbox/image.png')
  await dialog().getByLabel('Caption').fill('Fresh bread')
  const request = page.waitForRequest((one) => one.method() === 'POST' && one.url().includes('channel'))
  await dialog().getByRole('button', { name: 'Post', exact: true }).click()
  expect((await request).postDataJSON()).toMatchObject({
    ...{ media_url: 'https://media.sandbox/image.png', media_type: 'image', caption: 'Fresh bread' },
  })
  await dialog().waitFor({ state: 'detached' })
})

test('a community is created, and a group is linked and unlinked', async () => {
  const communities = card('Communities')
  await communities.getByRole('button', { name: 'New' }).click()
  await dialog().getByLabel('Name').fill('Village')
  await dialog().getByRole('button', { name: 'Create' }).click()
  await communities.getByRole('button', { name: 'Village' }).click()
  await communities.getByText('Announcements').waitFor()
  await communities.getByRole('button', { name: 'Link a group' }).click()
  await dialog().getByRole('combobox', { name: 'Group' }).click()
  await expect.poll(() => page.getByRole('option').allTextContents()).toEqual(['Jardín', 'Kitchen'])
  await page.getByRole('option', { name: 'Kitchen' }).click()
  await dialog().getByRole('button', { name: 'Link a group' }).click()
  await communities.getByRole('button', { name: 'Unlink Kitchen' }).waitFor()
  // Its announcements are a group of the same name.
  const village = (await w.api('GET', `${groups}?q=Village&kind=community`)).body.data
  expect(village).toHaveLength(1)
  expect((await groupNamed('Kitchen')).community).toBe(village[0].group)
  await look('lists')
  await communities.getByRole('button', { name: 'Unlink Kitchen' }).click()
  await page.getByText('Kitchen was unlinked').first().waitFor()
  expect((await groupNamed('Kitchen')).community).toBeNull()
})

test('an official number creates a group, whose link is the only way in, and ends it', async () => {
  const official = (await w.api('POST', '/v1/instances', { engine: 'official', name: 'Studio' })).body.id
  await w.api('POST', `/v1/sandbox/instances/${official}/onboard`, { number: '12025550120' })
  await w.open(`/instances/${official}?tab=groups`)
  await page.getByText('This number is in no group.').waitFor()
  for (const name of ['Channels', 'Communities']) await expect.poll(() => card(name).count()).toBe(0)
  await expect.poll(() => page.getByRole('button', { name: 'Join with a link' }).count()).toBe(0)
  await press('New group')
  await expect.poll(() => dialog().getByLabel('Phone numbers').count()).toBe(0)
  await dialog().getByLabel('Name').fill('Clients')
  await dialog().getByRole('button', { name: 'Create' }).click()
  await press('Show link')
  await card('Invite link').locator('code').waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Add', exact: true }).count()).toBe(0)
  await expect.poll(() => page.getByRole('switch').count()).toBe(0)
  await look('official')
  await press('End group')
  await dialog().getByRole('button', { name: 'End group' }).click()
  await page.getByText('This number is in no group.').waitFor()
})
