import type { BootId } from './ids.ts'
import type { Statement } from './sql.ts'

/** What a unit of work sees: the database inside the transaction it shares with its group. */
export interface Tx {
  all<P extends object, R extends object>(statement: Statement<P, R>, params: P): Promise<R[]>
  /** The first row or undefined. */
  one<P extends object, R extends object>(statement: Statement<P, R>, params: P): Promise<R | undefined>
  /** Runs a statement that returns nothing. @returns how many rows it changed. */
  run<P extends object, R extends object>(statement: Statement<P, R>, params: P): Promise<number>
  /**
   * The next number of a sequence, which is named after its table. Numbers only rise, in the order of commits; gaps are
   * normal.
   */
  next(sequence: string): Promise<number>
  /**
   * Runs once the group's COMMIT has returned, and never when the unit or the group fails: waking workers, notifying
   * windows.
   */
  afterCommit(act: () => void): void
}

/**
 * The storage port. Nothing above `storage/` knows which database answers.
 *
 * `commit` groups: units that arrive together run one after another inside one transaction and resolve after the one
 * COMMIT. A unit that throws is undone and rejected alone; a storage fault rejects the whole group with StorageError.
 * Inside a unit await nothing but `tx`; a unit has no side effects and may be run again.
 */
export interface Db {
  /** Reads committed data on a connection of its own; never sees a half-done group. */
  read<P extends object, R extends object>(statement: Statement<P, R>, params: P): Promise<R[]>
  readOne<P extends object, R extends object>(statement: Statement<P, R>, params: P): Promise<R | undefined>
  commit<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Random for each time the database is opened. Leases carry it. */
  readonly boot: BootId
  /** Commits pending units, checkpoints and closes. Calling it twice is harmless. */
  close(): Promise<void>
}

/**
 * The storage itself failed: `full` (no room; nothing was written), `unknown` (I/O: the commit may or may not have
 * happened), `read_only` (it failed before and takes no writes until it is reopened; nothing was written),
 * `unreachable` (the database server does not answer; nothing was written), `closed`.
 */
export type StorageFault = 'full' | 'unknown' | 'read_only' | 'unreachable' | 'closed'

export class StorageError extends Error {
  readonly kind: StorageFault

  constructor(kind: StorageFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StorageError'
    this.kind = kind
  }
}

/** A UNIQUE or CHECK constraint refused the unit; only that unit is undone. */
export class ConstraintError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ConstraintError'
  }
}
