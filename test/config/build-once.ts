import { build } from '../../resources/run.mjs'

/**
 * Black-box tests start out/main/headless.js, so it is built before the first test, and only if the sources have
 * changed.
 */
export default function setup(): void {
  build()
}
