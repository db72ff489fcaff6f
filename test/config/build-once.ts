import { build } from '../../resources/run.mjs'

/** Black-box tests start out/main/headless.js, so it is built before the first of them, and only when it must be. */
export default function setup(): void {
  build()
}
