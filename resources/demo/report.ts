import { setTimeout as sleep } from 'node:timers/promises'
import { styleText } from 'node:util'

/** A step of the demo failed; the message names the unfulfilled promise. */
export class DemoFailure extends Error {}

export interface DemoReport {
  /** Prints a numbered heading, runs the step and counts it as succeeded. */
  step<T>(title: string, act: () => Promise<T>): Promise<T>
  /** A line under the current heading. */
  say(line: string): void
  /** A line of an image: dark on light in every terminal, as cameras need it. */
  draw(line: string): void
  /** Checks a claim about the product. If it is false, the demo ends with exit code 1. */
  expect(claim: boolean, promise: string): void
  /** Checks every few milliseconds until there is a result. @throws DemoFailure after ten seconds. */
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
