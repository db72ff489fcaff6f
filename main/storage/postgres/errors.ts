import { DatabaseError } from 'pg'
import { ConstraintError, StorageError } from '../../kernel/db.ts'
import { oneLine } from '../sqlite-errors.ts'

/** Constraint errors that a caller's data can cause. NOT NULL (23502) and type errors are bugs and stay plain errors. */
const CONSTRAINTS = ['23503', '23505', '23514', '23P01']

/**
 * Classes of errors in which the server cannot execute any statement: connection, resources, operator intervention,
 * system. Not 57014: a statement that took too long would take as long again.
 */
const SERVER = ['08', '53', '57P', '58']

/** Another transaction was in the way: a serialization failure, a deadlock, a lock that was not released in time. */
const CONFLICTS = ['40001', '40P01', '55P03']

/** Whether the server answered; otherwise the connection was lost and nobody knows what it did last. */
const isAnswer = (error: unknown): error is DatabaseError => error instanceof DatabaseError

/** Whether the connection cannot be used any longer. Class 57P: the server ended the session. */
export const isLost = (error: unknown): boolean => !isAnswer(error) || (error.code ?? '').startsWith('57P')

/** Whether nothing was changed and the same statements can succeed a little later. */
export function isWorthRepeating(error: unknown): boolean {
  if (error instanceof StorageError) return error.kind === 'unreachable'
  return isLost(error) || CONFLICTS.includes((error as DatabaseError).code ?? '')
}

/**
 * Converts an error of the server to one of the port. The message contains the statement's text but never its
 * parameters, which are customers' data; the server's `detail` has them, so it is left out.
 */
export function mapPostgresError(error: unknown, statement: string): Error {
  if (error instanceof StorageError || error instanceof ConstraintError) return error
  const detail = error instanceof Error ? error.message : String(error)
  const message = `${detail} in: ${oneLine(statement)}`
  if (!isAnswer(error)) return new StorageError('unreachable', message, { cause: withoutDetail(error) })
  const code = error.code ?? ''
  if (CONSTRAINTS.includes(code)) return new ConstraintError(message, { cause: withoutDetail(error) })
  if (code === '53100') return new StorageError('full', message, { cause: withoutDetail(error) })
  if (CONFLICTS.includes(code) || SERVER.some((each) => code.startsWith(each)))
    return new StorageError('unreachable', message, { cause: withoutDetail(error) })
  return new Error(message, { cause: withoutDetail(error) })
}

/** An error whose fields can be logged. */
function withoutDetail(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return Object.assign(new Error(error.message), code !== undefined && { code })
}
