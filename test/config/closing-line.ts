import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/**
 * Ends the run with one line for people and scripts: `N passed, N failed`. A file that cannot be loaded, an error
 * outside of any test, and a run that cannot start each count as one failure.
 */
export default class ClosingLine implements Reporter {
  #passed = 0
  #failed = 0

  /** Printed on exit, because only the exit code shows a failed build or a filter that matched no test. */
  onInit(): void {
    process.once('exit', (code) => {
      const failed = code === 0 ? this.#failed : Math.max(this.#failed, 1)
      process.stdout.write(`${this.#passed} passed, ${failed} failed\n`)
    })
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const counts = modules.map(countOf)
    this.#passed = counts.reduce((sum, { passed }) => sum + passed, 0)
    this.#failed = counts.reduce((sum, { failed }) => sum + failed, errors.length)
  }
}

function countOf(module: TestModule): { passed: number; failed: number } {
  const states = [...module.children.allTests()].map((test) => test.result().state)
  const failed = states.filter((state) => state === 'failed').length
  return {
    passed: states.filter((state) => state === 'passed').length,
    failed: module.state() === 'failed' ? Math.max(failed, 1) : failed,
  }
}
