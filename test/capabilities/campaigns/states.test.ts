import { describe, expect, test } from 'vitest'
import { NEXT as RECIPIENT_NEXT } from '../../../main/capabilities/campaigns/outcomes.ts'
import { NEXT } from '../../../main/capabilities/campaigns/state.ts'

describe('states', () => {
  test('of a campaign: an ended one stays ended, unless sent messages turn out unpaid, and only a paused one fails', () => {
    const ended = Object.entries(NEXT).filter(([, next]) => next.length === 0)
    expect(ended.map(([status]) => status)).toEqual(['canceled', 'failed'])
    expect(NEXT.completed).toEqual(['running', 'paused'])
    const failing = Object.entries(NEXT).filter(([, next]) => (next as readonly string[]).includes('failed'))
    expect(failing.map(([status]) => status)).toEqual(['paused'])
  })

  test('of a recipient: an unknown one is never sent again, and only becomes known', () => {
    expect(RECIPIENT_NEXT.unknown).toEqual(['sent', 'failed'])
    for (const next of Object.values(RECIPIENT_NEXT)) {
      expect(next).not.toContain('pending')
      expect(next).not.toContain('sending')
    }
  })
})
