import { ApiError } from '../../contract/errors.ts'
import { QR_PREFIX, type SandboxNetwork, type Scanned } from '../../engines/sandbox/index.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { ScanBody } from './contract/phones.ts'

interface ScanDeps {
  readonly network: SandboxNetwork
  /** Renders a QR text as the QR view shows it, as a data URI. */
  readonly render: (text: string) => Promise<string>
}

/**
 * What the phone scanned or typed. @throws ApiError validation_error, invalid_state for a QR image that no instance
 * shows.
 */
export async function toScanned({ network, render }: ScanDeps, accountId: AccountId, body: ScanBody): Promise<Scanned> {
  const { qr, pairing_code: code } = body
  if ((qr === undefined) === (code === undefined)) {
    throw new ApiError(
      'validation_error',
      'Give exactly one of qr and pairing_code. Read both with GET …/qr of the instance.',
    ).because('code_wrong')
  }
  if (code !== undefined) return { code }
  const text = qr?.trim() ?? ''
  if (text.startsWith(QR_PREFIX)) return { text }
  if (!text.startsWith('data:')) {
    throw new ApiError(
      'validation_error',
      `qr must be the decoded text of a sandbox code, which starts with ${QR_PREFIX}, or the data URI from GET …/qr.`,
    ).because('code_wrong')
  }
  for (const shown of network.shownCodes(accountId)) if ((await render(shown)) === text) return { text: shown }
  throw new ApiError(
    'invalid_state',
    'This QR code has expired or is not from this account. Read GET …/qr again and scan the new one.',
  ).because('code_expired')
}
