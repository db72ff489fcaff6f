let found = /^#code=([\w-]+)$/.exec(location.hash)?.[1]

// Taken out of the address at once, and before the router reads it. In the fragment it reached no server and no log.
if (found !== undefined) history.replaceState(null, '', `${location.pathname}#/`)

/** The one-time code of the address the page was opened with; gone once it is asked for. */
export function takeSignInCode(): string | undefined {
  const code = found
  found = undefined
  return code
}
