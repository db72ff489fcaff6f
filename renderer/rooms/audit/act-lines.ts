import type { Item } from '../../app/operation-types.ts'

export type Act = Item<'listAuditLog'>

/** Equal consecutive acts. */
export interface ActLine {
  /** The newest of them. */
  readonly act: Act
  readonly times: number
  /** When the first of them was. */
  readonly since: string
}

const isSame = (one: Act, other: Act): boolean =>
  one.operation === other.operation &&
  one.subject_id === other.subject_id &&
  one.actor === other.actor &&
  one.actor_id === other.actor_id &&
  one.actor_name === other.actor_name &&
  one.via === other.via

/** Combines equal consecutive acts, such as those of a program, into one line. @param acts newest first. */
export function linesOf(acts: readonly Act[]): ActLine[] {
  const lines: ActLine[] = []
  for (const act of acts) {
    const last = lines.at(-1)
    if (last !== undefined && isSame(last.act, act))
      lines[lines.length - 1] = { act: last.act, times: last.times + 1, since: act.at }
    else lines.push({ act, times: 1, since: act.at })
  }
  return lines
}
