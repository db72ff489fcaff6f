import { posix } from 'node:path'
import { Secret } from '../kernel/secret.ts'
import { oneOf, text } from '../kernel/setting-kinds.ts'
import { secretText } from '../kernel/setting-texts.ts'
import { defineSettings, type Machine } from '../kernel/settings.ts'

export const vaultSettings = defineSettings({
  vault: {
    name: 'vault',
    kind: oneOf('keychain', 'file'),
    fallback: null,
    defaultText: 'the keychain if it works on first start, otherwise a file',
    description: 'Where a new home stores its master key. Has no effect on an existing home.',
  },
  vaultPassphrase: {
    name: 'vault_passphrase',
    kind: text({ words: 'text', rule: 'have at least 8 characters', accept: secretText }),
    fallback: systemCredential,
    defaultText: 'the systemd credential `switchboard-vault-passphrase`, otherwise none',
    description:
      'Passphrase for the file vault of a new home. Without one, a random key file next to the vault is used.',
    only: ['environment'],
    secret: true,
  },
})

/** systemd: `LoadCredential=switchboard-vault-passphrase:…`. */
function systemCredential({ env, readFile }: Machine): Secret | null {
  const folder = env['CREDENTIALS_DIRECTORY']
  const content = folder ? readFile(posix.join(folder, 'switchboard-vault-passphrase'))?.replace(/\r?\n$/, '') : ''
  return content ? new Secret(content) : null
}
