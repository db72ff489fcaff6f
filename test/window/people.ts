import { chromium, type Browser, type Page } from 'playwright-core'
import { SCOPES } from '../../main/contract/scopes.ts'
import { browserPath } from '../support/browser.ts'
import { pairedInstance } from '../support/sandbox.ts'
import { createApi, pause, type Api } from '../support/service-process.ts'
import type { ConsoleWindow } from '../support/window.ts'
import type { Holdings } from './places.ts'

/** Somebody who is signed in and does not own the computer. */
export interface Person {
  readonly page: Page
  /** What the service refused and the page complained of since the last look: `403 GET /panel/v1/members`. */
  takeTroubles(): string[]
  open(route: string): Promise<void>
}

export interface Client {
  readonly id: string
  readonly api: Api
}

/** @param features that the client may use. */
export async function clientOf(
  w: ConsoleWindow,
  name: string,
  features: readonly string[],
  slots = 5,
): Promise<Client> {
  const { id } = (await w.api('POST', '/v1/agency/accounts', { name, slots_allocated: slots, features })).body
  const wish = { name: 'Their program', scopes: SCOPES }
  const { key } = (await w.api('POST', `/v1/agency/accounts/${id}/keys`, wish)).body
  return { id, api: createApi(w.url, key) }
}

/** A number, a person who wrote, and ids of nothing for what an account without features never has. */
export async function seedFor(api: Api, digit: string): Promise<Holdings> {
  const [ours, chat] = [`120255507${digit}0`, `120255507${digit}1`]
  const instance = await pairedInstance(api, ours, 'Bakery Luz')
  const { id: unpaired } = (await api('POST', '/v1/instances', { name: 'Casa Verde' })).body
  const { id: webhook } = (await api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/theirs', events: ['*'] }))
    .body
  await api('POST', '/v1/sandbox/phones', { number: chat, name: 'Ana Souza' })
  await api('POST', `/v1/sandbox/phones/${chat}/messages`, { to: ours, text: 'Do you still have the rye bread?' })
  const draft = {
    instance_ids: [instance],
    name: 'Spring offer',
    messages: [{ text: 'Hi' }],
    recipients: [{ phone: chat }],
  }
  const campaign = (await api('POST', '/v1/campaigns', draft)).body.campaign_id ?? 'cmp_none'
  return {
    ...{ instance, unpaired, confirming: unpaired, live: unpaired, official: unpaired, linkable: unpaired },
    ...{ webhook, selective: webhook, chat, number: chat, campaign, draft: campaign, scheduled: campaign },
    ...{
      agents: instance,
      client: instance,
      recording: instance,
      missed: instance,
      planned: instance,
      widget: instance,
      group: '999',
    },
  }
}

/** Invites somebody. @param account of a client; null: the agency's own. @returns the link that signs them in. */
export function invite(w: ConsoleWindow, account: string | null, email: string): Promise<string> {
  return w.page.evaluate(
    async ([path, body]) => {
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(path, { method: 'POST', headers, body })
      return ((await answer.json()) as { url: string }).url
    },
    [
      `/panel${account === null ? '' : `/accounts/${account}`}/v1/members`,
      JSON.stringify({ name: 'Mia', email }),
    ] as const,
  )
}

/** Invites somebody and opens the window in a browser of their own. @param account of a client; null: the agency's own. */
export async function personIn(
  w: ConsoleWindow,
  browser: Browser,
  account: string | null,
  email: string,
): Promise<Person> {
  const url = await invite(w, account, email)
  const context = await browser.newContext({
    ...{ viewport: { width: 1280, height: 800 }, locale: 'en-US', reducedMotion: 'reduce' },
  })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  let troubles: string[] = []
  const waiting = new Set<unknown>()
  page.on('request', (request) => {
    // The stream of notices is meant to stay open.
    if (!/\/events$/.test(request.url())) waiting.add(request)
  })
  page.on('requestfinished', (request) => waiting.delete(request))
  page.on('requestfailed', (request) => waiting.delete(request))
  page.on('pageerror', (error) => void troubles.push(error.message))
  page.on('response', (response) => {
    const path = new URL(response.url()).pathname.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ':id')
    if ([403, 409].includes(response.status()))
      troubles.push(`${response.status()} ${response.request().method()} ${path}`)
  })
  await page.goto(url)
  await page.locator('h1').filter({ hasNotText: 'Sign in' }).first().waitFor()
  const settle = async () => {
    for (let quiet = 0; quiet < 6; quiet++) {
      await pause(20)
      if (waiting.size > 0) quiet = 0
    }
  }
  await settle()
  troubles = []
  return {
    page,
    takeTroubles: () => troubles.splice(0),
    async open(route) {
      await page.evaluate((to) => void (location.hash = `#${to}`), route)
      await settle()
      await page.locator('h1').first().waitFor()
    },
  }
}

export const launch = (): Promise<Browser> => chromium.launch({ executablePath: browserPath(), args: ['--no-sandbox'] })
