import type { EngineInstance } from './instance.ts'

/** The name by which people find a business number. */
export interface BusinessUsername {
  readonly username: string
  /** `reserved`: it is the number's, and not shown to people yet. */
  readonly status: 'approved' | 'reserved'
}

/** The username of a number, which the network keeps. Each throws an ApiError for what the network refuses. */
export interface Usernames {
  /** @returns null: it has none. */
  read(instance: EngineInstance): Promise<BusinessUsername | null>
  /** Names that the network keeps for the business. */
  suggestions(instance: EngineInstance): Promise<readonly string[]>
  /** @param isMoved takes it from another number of the same portfolio. */
  claim(instance: EngineInstance, username: string, isMoved: boolean): Promise<BusinessUsername>
  release(instance: EngineInstance): Promise<void>
}
