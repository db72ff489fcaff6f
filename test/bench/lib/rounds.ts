/**
 * Lets all programs take turns in every round, in reversed order in every second round. Each program runs under the
 * same conditions, and none always runs after the same other one.
 */
export async function inRounds<T>(rounds: number, all: readonly T[], act: (each: T) => Promise<void>): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const each of round % 2 === 0 ? all : all.toReversed()) await act(each)
  }
}
