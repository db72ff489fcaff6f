/** Why the server refuses a request: 400 for its form, 401 for its content. */
export class Refused extends Error {
  readonly code: 400 | 401
  constructor(code: 400 | 401, reason: string) {
    super(reason)
    this.code = code
  }
}

/** @throws Refused */
export function demand(code: 400 | 401, holds: unknown, reason: string): asserts holds {
  if (!holds) throw new Refused(code, reason)
}
