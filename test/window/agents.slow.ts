import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pairedInstance } from '../support/sandbox.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** An AI agent as a person sets it up: taught, tried, switched on, and helped where it hands over. */
let w: ConsoleWindow
let page: Page
let optics: string
const NUMBER = '12025550100'
const PERSON = '12025550101'

beforeAll(async () => {
  w = await openConsole()
  page = w.page
  optics = await pairedInstance(w.api, NUMBER, 'Ótica Vista')
  await w.api('POST', '/v1/sandbox/phones', { number: PERSON, name: 'Carla' })
})
afterAll(() => w.remove())

const ai = (path: string) => `/v1/instances/${optics}/ai/${path}`
const soon = <T>(look: () => Promise<T>) => expect.poll(look, { timeout: 60_000 })
const says = (text: string) => w.api('POST', `/v1/sandbox/phones/${PERSON}/messages`, { to: NUMBER, text })
const heard = async () =>
  (await w.api('GET', `/v1/sandbox/phones/${PERSON}/messages`)).body.data.map((each: { text: string }) => each.text)

describe('a new agent', () => {
  test('is created, taught, tried and switched on', async () => {
    await w.open('/agents')
    await page.getByRole('link', { name: 'Ótica Vista' }).click()
    await page.getByRole('button', { name: 'New agent' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'New agent' }).click()
    await page.getByRole('tab', { name: 'Knowledge' }).click()
    await page.getByRole('button', { name: 'Add question' }).click()
    await page.getByRole('textbox', { name: 'Question' }).fill('When are you open?')
    await page.getByRole('textbox', { name: 'Answer' }).fill('Monday to Friday, 8 am to 6 pm.')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Monday to Friday, 8 am to 6 pm.').waitFor()
    await page.getByRole('tab', { name: 'Try it' }).click()
    await page.getByRole('textbox', { name: 'Write as a customer would' }).fill('wen are you opne')
    await page.keyboard.press('Enter')
    const log = page.getByRole('log')
    await log.getByText('Monday to Friday, 8 am to 6 pm.').first().waitFor()
    await log.getByText('1 source').waitFor()
    expect(await heard(), 'trying sends nothing').toEqual([])
    await page.getByRole('switch', { name: 'Let Reception answer on this number' }).click()
    await page.getByText('The agent replies to new messages.').waitFor()
    expect((await w.api('GET', ai('settings'))).body.enabled).toBe(true)
  })

  test('saves its limits, and answers a person', async () => {
    await page.getByRole('tab', { name: 'Limits' }).click()
    const wait = page.getByRole('spinbutton', { name: 'Wait for more messages' })
    await wait.fill('0')
    await page.getByRole('button', { name: 'Save' }).click()
    await soon(async () => (await w.api('GET', ai('settings'))).body.debounce_seconds).toBe(0)
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    await says('When are you open?')
    await soon(heard).toEqual(['Monday to Friday, 8 am to 6 pm.'])
  })
})

describe('a conversation that the agent handed over', () => {
  test('shows the reason, lets a person answer the question for next time, and resumes the agent', async () => {
    await says('Do you repair frames of other shops?')
    await soon(async () => (await w.api('GET', ai(`conversations/${PERSON}`))).body.ai_active).toBe(false)
    await w.open(`/agents/${optics}?tab=knowledge`)
    await page.getByText('Do you repair frames of other shops?').waitFor()
    await page.getByRole('button', { name: 'Answer', exact: true }).click()
    await page.getByRole('textbox', { name: 'Answer' }).fill('Yes, within a week.')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Edit: Do you repair frames of other shops?' }).waitFor()
    await page.getByRole('tab', { name: 'Chats' }).click()
    await page.getByText('Waiting for a person').first().waitFor()
    await w.open(`/messages/${optics}/${PERSON}`)
    await page.getByText(/^Handed over/).waitFor()
    await page.getByRole('button', { name: 'Suggest a reply' }).click()
    await soon(async () => page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('Yes, within a week.')
    await page.getByRole('button', { name: 'Resume agent' }).click()
    await page.getByText('The agent answers in this chat.').waitFor()
    expect((await w.api('GET', ai(`conversations/${PERSON}`))).body).toMatchObject({ ai_active: true })
  })
})

describe('an agent that is not live yet', () => {
  test('is evaluated with test questions, and the evaluation says what is missing', async () => {
    await w.open(`/agents/${optics}?tab=evaluate`)
    await page.getByRole('button', { name: 'New evaluation' }).click()
    await page.getByRole('textbox', { name: 'Question 1', exact: true }).fill('When are you open?')
    await page.getByRole('textbox', { name: 'What the answer to question 1 must contain' }).fill('8 am, Sunday')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Run with Reception' }).click()
    await page.getByText('0 of 1 passed').waitFor()
    await page.getByText('Missing: Sunday').waitFor()
  })

  test('the arrow keys reorder the stages', async () => {
    const { data } = (await w.api('GET', ai('agents'))).body
    const stages = `agents/${data[0].id}/stages`
    for (const name of ['Greet', 'Schedule']) await w.api('POST', ai(stages), { name, objective: 'Do it.' })
    await w.open(`/agents/${optics}?tab=stages`)
    await page.getByRole('button', { name: /^Schedule, stage 2 of 2/ }).focus()
    await page.keyboard.press('ArrowUp')
    await page.getByText('Schedule is now stage 1 of 2.').waitFor()
    await soon(async () =>
      (await w.api('GET', ai(stages))).body.data
        .toSorted((a: { position: number }, b: { position: number }) => a.position - b.position)
        .map(({ name }: { name: string }) => name),
    ).toEqual(['Schedule', 'Greet'])
  })
})
