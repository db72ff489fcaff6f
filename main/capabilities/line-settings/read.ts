import { DEFAULT_LINE, type ReadLineSettings } from '../../engines/line-settings.ts'
import type { Db } from '../../kernel/db.ts'
import type { Proxy } from '../../outbound/proxy.ts'
import type { Seal } from '../../kernel/seal.ts'
import { Secret } from '../../kernel/secret.ts'
import { lineSettingsOf, type LineSettingsRow } from './store.ts'

type Login = NonNullable<Proxy['credentials']>

/** The settings of a number, for its engine. */
export function createReadLineSettings({ db, seal }: { db: Pick<Db, 'readOne'>; seal: Seal }): ReadLineSettings {
  return async (instanceId) => {
    const row = await db.readOne(lineSettingsOf, { instanceId })
    if (row === undefined) return DEFAULT_LINE
    const { perMinute, burst, chatPerMinute, chatBurst, spacingMs } = row
    const pace = { perMinute, burst, chatPerMinute, chatBurst, spacingMs }
    return { pace, online: row.online === 1, proxy: proxyOf(row, seal, instanceId) }
  }
}

function proxyOf(row: LineSettingsRow, seal: Seal, instanceId: string): Proxy | null {
  const { proxyType: type, proxyHost: host, proxyPort: port, proxySealed: sealed } = row
  if (type === null || host === null || port === null) return null
  return { type, host, port, credentials: sealed === null ? null : openLogin(seal, sealed, instanceId) }
}

const ownerOf = (instanceId: string) => `line:${instanceId}:proxy`

export function sealLogin(seal: Seal, { username, password }: Login, instanceId: string): Buffer {
  return seal.seal(Buffer.from(JSON.stringify([username.open(), password.open()])), ownerOf(instanceId))
}

function openLogin(seal: Seal, sealed: Uint8Array, instanceId: string): Login {
  // `sealLogin` wrote it in this form.
  const [username, password] = JSON.parse(seal.openBytes(sealed, ownerOf(instanceId)).toString()) as [string, string]
  return { username: new Secret(username), password: new Secret(password) }
}
