/** What `switchboard://…` may ask for: a place of the page by its path, never an act. */
const PLACES = /^\/(instances|messages|webhooks|keys|assistants|sandbox|settings|welcome)(\/[\w.~-]{1,100}){0,2}$/

/** `switchboard://instances/0197…` → `/instances/0197…`; undefined for anything else, which then only opens the window. */
export function routeOf(link: string): string | undefined {
  const url = URL.parse(link)
  if (url?.protocol !== 'switchboard:') return undefined
  const route = `/${url.host}${url.pathname === '/' ? '' : url.pathname}`
  return PLACES.test(route) ? route : undefined
}

export const linkIn = (argv: readonly string[]): string | undefined =>
  argv.find((word) => word.startsWith('switchboard://'))
