/** A message that waits for the assessment of its template. */
export interface AssessedMessage {
  deliver(): Promise<void>
  drop(): Promise<void>
}

export type Assessments = ReturnType<typeof createAssessments>

/**
 * Templates whose first messages Meta holds until it knows how people react to them, by id ("Template pacing"). Kept
 * in memory: a restart forgets the templates and their held messages.
 */
export function createAssessments() {
  const held = new Map<string, AssessedMessage[]>()
  const end = (id: string) => {
    const messages = held.get(id) ?? []
    held.delete(id)
    return messages
  }
  return {
    begin(id: string): void {
      if (!held.has(id)) held.set(id, [])
    },
    holds: (id: string): boolean => held.has(id),
    add: (id: string, message: AssessedMessage) => held.get(id)?.push(message),
    /** People reacted well: delivers the held messages. */
    async pass(id: string): Promise<void> {
      for (const message of end(id)) await message.deliver()
    },
    /** People reacted badly: none of the held messages is delivered. */
    async fail(id: string): Promise<void> {
      for (const message of end(id)) await message.drop()
    },
  }
}
