import { setTimeout as sleep } from 'node:timers/promises'
import { styleText } from 'node:util'

/** A step of the demo did not hold; the sentence says which promise was broken. */
export class DemoFailure extends Error {}

export interface DemoReport {
  /** Prints a numbered heading, runs the step and remembers that it held. */
  step<T>(title: string, act: () => Promise<T>): Promise<T>
  /** A line under the current heading. */
  say(line: string): void
  /** A line of a drawing: dark on light in every terminal, as cameras want it. */
  draw(line: string): void
  /** A promise of the product; the demo ends with exit code 1 when it does not hold. */
  expect(claim: boolean, promise: string): void
  /** Looks again every few milliseconds until something is there. @throws DemoFailure after ten seconds. */
  until<T>(promise: string, look: () => Promise<T | undefined>): Promise<T>
  readonly steps: number
}

export const print = (line: string): void => void process.stdout.write(`${line}\n`)

const PATIENCE_MS = 10_000
const LOOK_EVERY_MS = 40

export function createDemoReport(): DemoReport {
  let steps = 0
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    process.stdout.isTTY ? styleText(style, text) : text
  return {
    get steps() {
      return steps
    },
    async step(title, act) {
      steps++
      print(`\n ${paint('dim', String(steps).padStart(2))}  ${paint('bold', title)}`)
      return act()
    },
    say: (line) => print(line === '' ? '' : `     ${line}`),
    draw: (line) => print(`     ${paint(['black', 'bgWhiteBright'], line)}`),
    expect(claim, promise) {
      if (!claim) throw new DemoFailure(promise)
      print(`     ${paint('green', '✓')} ${promise}`)
    },
    async until(promise, look) {
      const deadline = performance.now() + PATIENCE_MS
      for (;;) {
        const found = await look()
        if (found !== undefined) return found
        if (performance.now() > deadline) throw new DemoFailure(`${promise} (waited ${PATIENCE_MS / 1000} s)`)
        await sleep(LOOK_EVERY_MS)
      }
    },
  }
}
