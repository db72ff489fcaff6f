import { mayLeave } from './unsaved.ts'

/**
 * The client's account in which an operator works; null: the own one. It is part of the URL before the route, so that
 * links contain it and the browser's Back leaves it.
 */
export let clientAccountId: string | null = null

const PARAMETER = 'account'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Called once, before the first request. @param search of the page's URL. */
export function takeAccount(search: string): void {
  const named = new URLSearchParams(search).get(PARAMETER)?.toLowerCase()
  clientAccountId = named !== undefined && UUID.test(named) ? named : null
}

/** The path of `/v1/…` for an account, on the window's own origin. */
export const panelPath = (path: string, accountId: string | null = clientAccountId): string =>
  accountId === null ? `/panel${path}` : `/panel/accounts/${accountId}${path}`

/** The URL of a record's file in the account that the window shows. */
export const fileInAccount = (url: string): string =>
  url.startsWith('/panel/v1/') ? panelPath(url.slice('/panel'.length)) : url

/**
 * Reloads the window in another account, so that nothing in memory belongs to the previous one. Asks first if there are
 * unsaved changes.
 */
export async function openAccount(id: string | null, route = '/overview'): Promise<void> {
  if (!(await mayLeave())) return
  const url = new URL(location.href)
  if (id === null) url.searchParams.delete(PARAMETER)
  else url.searchParams.set(PARAMETER, id)
  url.hash = `#${route}`
  if (url.search === location.search) location.hash = url.hash
  else location.assign(url)
}
