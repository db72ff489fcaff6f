const LINK = 'switchboard://'

/** Pages that `switchboard://…` may open. A link never performs an action. */
const PLACES = [
  /^\/(instances|messages|webhooks|keys|assistants|sandbox|settings|welcome|recordings)$/,
  /^\/(instances\/wall|webhooks\/deliveries|settings\/api|assistants\/(approvals|connect|calls))$/,
  /^\/(instances|webhooks|messages)\/[\w-]{1,64}$/,
  // A recording, with an optional start time in seconds.
  /^\/recordings\/[\w-]{1,64}\/[\w-]{1,64}(\?t=[\d.]{1,12})?$/,
  // A conversation: its instance, and the number or group on the other side.
  /^\/messages\/[\w-]{1,64}\/(?:[\w.@-]|%40){1,100}$/,
]

const START = '/'

/** `switchboard://instances/0197…` → `/instances/0197…`. Unknown paths open the start page. */
export function routeOf(link: string): string {
  const url = isLink(link) ? URL.parse(link) : null
  if (url === null || url.username !== '') return START
  const path = `/${url.host}${url.pathname === '/' ? '' : url.pathname}`
  const route = url.host === 'recordings' ? `${path}${url.search}` : path
  return PLACES.some((place) => place.test(route)) ? route : START
}

export const isLink = (word: string): boolean => word.startsWith(LINK)

export const linkIn = (argv: readonly string[]): string | undefined => argv.find(isLink)
