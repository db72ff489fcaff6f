let found = /^#code=([\w-]+)$/.exec(location.hash)?.[1]

// Removed from the address before the router reads it. A fragment never reaches a server or its log.
if (found !== undefined) history.replaceState(null, '', `${location.pathname}#/`)

/** The one-time code from the address the page was opened with. It can be taken once. */
export function takeSignInCode(): string | undefined {
  const code = found
  found = undefined
  return code
}
