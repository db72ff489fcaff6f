import { mayLeave } from './unsaved.ts'

/**
 * The account of a client in which an operator works; null: the own one. It is part of the address, before the route, so
 * that a link carries it and the browser's Back leads out of it.
 */
export let clientAccountId: string | null = null

const PARAMETER = 'account'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Called once, before anything is asked of the service. @param search of the page's address. */
export function takeAccount(search: string): void {
  const named = new URLSearchParams(search).get(PARAMETER)?.toLowerCase()
  clientAccountId = named !== undefined && UUID.test(named) ? named : null
}

/** `/v1/…` of an account, for the window's own origin. */
export const panelPath = (path: string, accountId: string | null = clientAccountId): string =>
  accountId === null ? `/panel${path}` : `/panel/accounts/${accountId}${path}`

/** The address of a file in a record, in the account that the window shows. */
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
