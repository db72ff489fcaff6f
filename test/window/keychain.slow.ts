import { rmSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { tempFolder } from '../support/database.ts'
import { launchStandIn, tempProfile, type Desktop } from '../support/electron/launch.ts'
import type { KeychainMood } from '../support/vault.ts'

/** A computer whose keychain asks the person something, while the app starts and after. */
const remains: (() => void)[] = []
afterEach(() => remains.splice(0).forEach((act) => act()))

async function startWithPrompt(): Promise<{ desktop: Desktop; page: Page }> {
  const home = tempFolder()
  const { profile, remove } = tempProfile()
  remains.push(() => rmSync(home, { recursive: true, force: true }), remove)
  const environment = { SWITCHBOARD_VAULT: 'keychain', STAND_IN_KEYCHAIN: 'hangs' }
  const desktop = await launchStandIn({ home, profile, environment })
  return { desktop, page: await desktop.firstWindow() }
}

const answerPrompt = (desktop: Desktop, mood: KeychainMood) =>
  desktop.evaluate(({ keychain }, next) => {
    keychain.become(next)
    keychain.answerPrompts()
  }, mood)

test('the window opens while the keychain waits for the person, says so, and goes on when it is answered', async () => {
  const { desktop, page } = await startWithPrompt()
  const note = page.getByRole('status').filter({ hasText: 'Waiting for the keychain' })
  await note.waitFor()
  await answerPrompt(desktop, 'works')
  await note.waitFor({ state: 'detached' })
  expect(await desktop.close()).toBe(0)
  expect(desktop.errors()).toBe('')
})

test.each(['the button', 'the screen being unlocked'])(
  'a question that was dismissed is not asked again until %s wants it',
  async (by) => {
    const { desktop, page } = await startWithPrompt()
    await page.getByText('Waiting for the keychain').waitFor()
    // Longer than any refusal without a question takes.
    await new Promise((done) => setTimeout(done, 2_000))
    await answerPrompt(desktop, 'locked')
    const note = page.getByRole('status').filter({ hasText: 'You dismissed the prompt' })
    await note.waitFor()

    await desktop.evaluate(({ keychain }) => keychain.become('works'))
    if (by === 'the button') await note.getByRole('button', { name: 'Ask again' }).click()
    else await desktop.evaluate(({ powerMonitor }) => powerMonitor.emit('unlock-screen', {}))
    await note.waitFor({ state: 'detached' })
    expect(await desktop.close()).toBe(0)
  },
)
