import type { PasskeyReadiness } from '../../../main/contract/window-bridge.ts'

/** What is missing on this computer for a passkey. The words are `instances.passkey.missing`. */
export type PasskeyHindrance = 'browser' | 'bluetooth' | 'both'

/** What a browser says it can do; a name it does not mention is not known. */
type Capabilities = Readonly<Record<string, boolean>>

/**
 * @param app what the desktop app says; undefined in a browser.
 * @param page what the browser says that shows this page. It counts unless another one would ask for the passkey.
 */
export function passkeyHindrance(
  app: PasskeyReadiness | undefined,
  page: Capabilities | undefined,
): PasskeyHindrance | undefined {
  if (app?.way === 'none') return 'browser'
  if (app?.hasBluetooth === false) return 'bluetooth'
  if (app?.way === 'browser' || page?.['hybridTransport'] !== false) return undefined
  return page['passkeyPlatformAuthenticator'] === false ? 'both' : 'bluetooth'
}

/** @returns undefined in browsers that do not say, and where the page came over an insecure connection. */
export async function readCapabilities(): Promise<Capabilities | undefined> {
  try {
    return await PublicKeyCredential.getClientCapabilities()
  } catch {
    return undefined
  }
}
