import { onTestFinished } from 'vitest'
import type { UserFacingSocketConfig } from 'baileys'
import { startWhatsApp } from '../stand-in.ts'
import type { LinkedDevice, Phone, WhatsApp } from './index.ts'
import { nothingKept, rawClient, type Kept, type RawClient } from './raw-client.ts'
import { until } from '../service-process.ts'

/** A linked and connected client, and the phone that it is linked to. */
export interface RawLine {
  readonly client: RawClient
  readonly kept: Kept
  readonly phone: Phone
  readonly device: LinkedDevice
}

/** A network for a test; it is closed when the test ends. */
export async function whatsappOfTest(options?: Parameters<typeof startWhatsApp>[0]): Promise<WhatsApp> {
  const whatsapp = await startWhatsApp(options)
  whatsapp.takeRoute()
  onTestFinished(() => whatsapp.close())
  return whatsapp
}

export async function linked(
  whatsapp: WhatsApp,
  number: string,
  config: Partial<UserFacingSocketConfig> = {},
): Promise<RawLine> {
  const phone = whatsapp.phone(number)
  const kept = nothingKept()
  const first = rawClient(kept, config)
  const device = await phone.scan(await first.qr())
  await first.closed()
  const client = rawClient(kept, config)
  await client.open()
  await ready(client)
  // A client that disconnects before it has the first history waits for another one at its next login.
  await until('the first history', () => client.heard('messaging-history.set').length > 0)
  return { client, kept, phone, device }
}

/** Waits for the end of the backlog. Afterwards, everything is reported immediately. */
export async function ready(client: RawClient): Promise<void> {
  await until('the end of the backlog', () => client.updates.some((one) => one.receivedPendingNotifications === true))
}

/**
 * A linked number that all tests of a file share, because linking takes seconds and logging in does not. The first
 * test that needs it links it, and each test gets its own connection.
 */
export function sharedLine(whatsapp: () => WhatsApp, number: string): () => Promise<RawLine> {
  let kept: Kept | undefined
  return async () => {
    const phone = whatsapp().phone(number)
    if (kept === undefined) {
      const first = await linked(whatsapp(), number)
      kept = first.kept
      return first
    }
    const client = rawClient(kept)
    await ready(client)
    return { client, kept, phone, device: phone.device }
  }
}
