import type { BinaryNode } from 'baileys'
import type { PasskeyNetwork } from './passkey.ts'
import { bytesIn, passkeyOptionsIn } from './pairing-notices.ts'
import { QUERY_MS, type LinkingConnection } from './query.ts'

/** The queries of a ceremony, over one connection. */
export function createPasskeyNetwork({ library, sock }: Pick<LinkingConnection, 'library' | 'sock'>): PasskeyNetwork {
  const { S_WHATSAPP_NET: to, getBinaryNodeChild } = library
  const element = (tag: string, content?: BinaryNode['content']): BinaryNode => ({
    ...{ tag, attrs: {} },
    ...(content !== undefined && { content }),
  })

  async function query(type: 'get' | 'set', content: BinaryNode): Promise<BinaryNode> {
    // The library resolves with undefined if the network does not answer; its type does not say so.
    const answer = (await sock.query({ tag: 'iq', attrs: { to, type, xmlns: 'md' }, content: [content] }, QUERY_MS)) as
      | BinaryNode
      | undefined
    if (answer?.attrs['type'] !== 'result') throw new Error('no response')
    return answer
  }

  async function set(content: BinaryNode): Promise<void> {
    const answer = await query('set', content)
    if (Array.isArray(answer.content) && answer.content.length > 0) throw new Error('not an empty result')
  }

  return {
    async options() {
      const answer = await query('get', element('passkey_request_options'))
      const options = passkeyOptionsIn(getBinaryNodeChild(answer, 'passkey_request_options'))
      if (!options) throw new Error('no options')
      return options
    },
    async ref() {
      const bytes = bytesIn(getBinaryNodeChild(await query('get', element('ref')), 'ref'))
      if (bytes.length === 0) throw new Error('no ref')
      return bytes.toString()
    },
    prologue: ({ credentialId, json, payload, proof }) =>
      set(
        element('passkey_prologue', [
          element('credential_id', credentialId),
          element('webauthn_assertion', json),
          element('prologue_payload', payload),
          ...(proof ? [element('pairing_handoff_proof', proof)] : []),
        ]),
      ),
    nonce: (bytes) => set(element('companion_nonce', bytes)),
    pairingRequest: (bytes) => set(element('encrypted_pairing_request', bytes)),
  }
}
