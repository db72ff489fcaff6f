/** Test cards by their outcome. Other numbers are refused and not stored. */
export const TEST_CARDS = {
  works: '4242424242424242',
  declinedLater: '4000000000000341',
  challenge: '4000000000003220',
} as const

export type TestCard = keyof typeof TEST_CARDS
