import type { Route } from 'playwright-core'
import type { ConsoleWindow } from '../support/window.ts'

/** Ends the service in the middle of what somebody does in the window, and starts it again. */
export function createKiller(w: ConsoleWindow) {
  const { page } = w
  const kill = () => w.service().end('SIGKILL')
  const unreachable = () => page.getByText('Can’t reach Switchboard').first()
  return {
    kill,
    unreachable,
    /** Starts it again, and waits until the window has noticed. */
    async back(): Promise<void> {
      await w.restart()
      await page.getByText('Can’t reach Switchboard', { exact: false }).first().waitFor({ state: 'detached' })
    },
    /** The service does what is asked for, and is killed before its answer is there. */
    async killAfter(path: string, act: () => Promise<unknown>): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      const fetchAndKill = async (route: Route) => {
        // A connection that is kept from before the last kill ends as soon as it is used.
        await route.fetch({ maxRetries: 2 })
        await kill()
        await route.abort()
      }
      await page.route(path, (route) =>
        route.request().method() === 'GET' ? route.continue() : fetchAndKill(route).then(resolve, reject),
      )
      await act()
      await promise
      await page.unroute(path)
    },
  }
}
