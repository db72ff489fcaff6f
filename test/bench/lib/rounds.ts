/**
 * Lets all take turns in every round, in reversed order every second one: each meets the same minutes of the machine,
 * and none always comes after the same other.
 */
export async function inRounds<T>(rounds: number, all: readonly T[], act: (each: T) => Promise<void>): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const each of round % 2 === 0 ? all : all.toReversed()) await act(each)
  }
}
