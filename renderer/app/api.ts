/** Absolute paths on the window's own origin; neither a key nor a port is known here. */
export async function isServiceHealthy(): Promise<boolean> {
  try {
    const response = await fetch('/healthz', { headers: { accept: 'application/json' } })
    return response.ok
  } catch {
    return false
  }
}
