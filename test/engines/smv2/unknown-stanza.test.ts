import { describe, expect, test } from 'vitest'
import { unknownStanza } from '../../../main/engines/smv2/unknown-stanza.ts'

const node = (tag: string, child?: string) => ({
  tag,
  attrs: { id: 'secret' },
  ...(child !== undefined && { content: [{ tag: child, attrs: { challenge: 'secret' } }] }),
})

describe('what comes during pairing', () => {
  test.each<[string, string?]>([
    ['iq'],
    ['iq', 'pair-device'],
    ['iq', 'pair-success'],
    ['notification', 'link_code_companion_reg'],
    ['success'],
    ['failure'],
    ['stream:error', 'conflict'],
    ['ib', 'offline'],
  ])('%s %s is expected', (tag, child?) => expect(unknownStanza(node(tag, child))).toBeUndefined())

  test('is named where nobody knows it, and nothing of it but its name', () => {
    expect(unknownStanza(node('notification', 'passkey_prologue_request'))).toBe(
      'notification/passkey_prologue_request',
    )
    expect(unknownStanza(node('iq', 'webauthn'))).toBe('iq/webauthn')
    expect(unknownStanza(node('challenge'))).toBe('challenge')
  })
})
