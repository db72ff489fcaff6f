import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

let w: ConsoleWindow
beforeAll(async () => {
  w = await openConsole()
})
afterAll(() => w.remove())

/** Of a member who created two keys; a third is of an earlier version. */
async function seed() {
  const make = (path: string, body: object): Promise<any> =>
    w.page.evaluate(
      async ([url, text]) => {
        const answer = await fetch(`/panel/v1${url}`, {
          ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: text },
        })
        return answer.json()
      },
      [path, JSON.stringify(body)] as const,
    )
  const { member } = await make('/members', { name: 'Ana Souza', email: 'ana@bakery.example' })
  const { id: line } = await make('/instances', { name: 'Front desk' })
  const link = await make(`/instances/${line}/access-links`, { permanent: true })
  const keys: Record<string, string> = {}
  for (const name of ['CRM', 'Old script', 'Earlier'])
    keys[name] = (await make('/keys', { name, scopes: ['instances:read'] })).id
  const database = new Database(join(w.home.dir, 'switchboard.db'))
  const created = (table: string, id: string | undefined, by: string | null) =>
    database.prepare(`UPDATE ${table} SET created_by = ? WHERE id = ?`).run(by, id)
  created('access_links', link.id, `member:${member.id}`)
  for (const name of ['CRM', 'Old script']) created('api_keys', keys[name], `member:${member.id}`)
  created('api_keys', keys['Earlier'], null)
  database.close()
}

const revoked = () => {
  const database = new Database(join(w.home.dir, 'switchboard.db'), { readonly: true })
  const names = database.prepare('SELECT name FROM api_keys WHERE revoked_at IS NOT NULL ORDER BY name').pluck().all()
  database.close()
  return names
}

test('removing a member says what ends, and revokes the keys that are chosen', async () => {
  await seed()
  const { page } = w
  await w.open('/team')
  await page.getByRole('button', { name: 'Remove Ana Souza' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove Ana Souza?' })
  await dialog.getByText('1 access link they created').waitFor()
  await dialog.getByText('Their sign-in link').waitFor()
  const choice = (name: string) => dialog.getByRole('checkbox', { name: `Revoke “${name}”` })
  await expect.poll(() => choice('CRM').isChecked()).toBe(true)
  await expect.poll(() => choice('Old script').isChecked()).toBe(true)
  await expect.poll(() => choice('Earlier').isChecked()).toBe(false)
  await choice('CRM').click()
  await choice('Earlier').click()
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('Nobody invited yet').waitFor()
  expect(revoked()).toEqual(['Earlier', 'Old script'])
})
