import type { PasskeyReadiness } from '../../../main/contract/window-bridge.ts'

/** What this computer lacks for a passkey. The texts are `instances.passkey.missing`. */
export type PasskeyHindrance = 'browser' | 'bluetooth' | 'both'

/** Capabilities that a browser reports. The state of an unlisted capability is unknown. */
type Capabilities = Readonly<Record<string, boolean>>

/**
 * @param app what the desktop app reports; undefined in a browser.
 * @param page what the browser that shows this page reports. It is ignored if another browser would ask for the
 * passkey.
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

/**
 * @returns undefined if the browser does not report its capabilities, or if the page was loaded over an insecure
 * connection.
 */
export async function readCapabilities(): Promise<Capabilities | undefined> {
  try {
    return await PublicKeyCredential.getClientCapabilities()
  } catch {
    return undefined
  }
}
