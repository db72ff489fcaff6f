import { describe, expect, test } from 'vitest'
import { unknownStanza } from '../../../main/engines/smv2/unknown-stanza.ts'

const node = (tag: string, child?: string) => ({
  tag,
  attrs: { id: 'secret' },
  ...(child !== undefined && { content: [{ tag: child, attrs: { challenge: 'secret' } }] }),
})

describe('a stanza during pairing', () => {
  test.each<[string, string?]>([
    ['iq'],
    ['iq', 'pair-device'],
    ['iq', 'pair-success'],
    ['notification', 'link_code_companion_reg'],
    ['success'],
    ['failure'],
    ['stream:error', 'conflict'],
    ['ib', 'offline'],
  ])('%s %s is known', (tag, child?) => expect(unknownStanza(node(tag, child))).toBeUndefined())

  test('is reported by its name only if it is unknown', () => {
    expect(unknownStanza(node('notification', 'passkey_prologue_request'))).toBe(
      'notification/passkey_prologue_request',
    )
    expect(unknownStanza(node('iq', 'webauthn'))).toBe('iq/webauthn')
    expect(unknownStanza(node('challenge'))).toBe('challenge')
  })
})
