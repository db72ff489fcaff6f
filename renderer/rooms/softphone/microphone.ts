/** Why there is no microphone. */
export type MicrophoneFault = 'insecure' | 'denied' | 'missing' | 'busy' | 'failed'

const BY_NAME: Readonly<Record<string, MicrophoneFault>> = {
  NotAllowedError: 'denied',
  SecurityError: 'insecure',
  NotFoundError: 'missing',
  OverconstrainedError: 'missing',
  NotReadableError: 'busy',
  AbortError: 'busy',
}

export class MicrophoneError extends Error {
  readonly fault: MicrophoneFault

  constructor(fault: MicrophoneFault) {
    super(`The microphone cannot be used: ${fault}.`)
    this.name = 'MicrophoneError'
    this.fault = fault
  }
}

/** Browsers give a microphone to pages over https and on this computer only, and otherwise have no such property at all. */
const mediaDevices = (): MediaDevices | undefined =>
  (navigator as { readonly mediaDevices?: MediaDevices }).mediaDevices

export const isSecurePage = (): boolean => isSecureContext && mediaDevices() !== undefined

const CLEAR = { echoCancellation: true, noiseSuppression: true, autoGainControl: true }

/** @param deviceId the chosen one; one that is gone is replaced by the computer's default. @throws MicrophoneError */
export async function openMicrophone(deviceId: string): Promise<MediaStream> {
  const devices = mediaDevices()
  if (!isSecurePage() || devices === undefined) throw new MicrophoneError('insecure')
  const open = (id: string) =>
    devices.getUserMedia({ audio: { ...CLEAR, ...(id !== '' && { deviceId: { exact: id } }) } })
  try {
    return await open(deviceId)
  } catch (error) {
    const name = nameOf(error)
    if (deviceId !== '' && (name === 'OverconstrainedError' || name === 'NotFoundError')) return openMicrophone('')
    throw new MicrophoneError(BY_NAME[name] ?? 'failed')
  }
}

const nameOf = (error: unknown) => (error instanceof Error ? error.name : '')

/** The devices for sound. Without permission their names are empty, and they are left out. */
export async function listDevices(): Promise<readonly MediaDeviceInfo[]> {
  const found = (await mediaDevices()?.enumerateDevices()) ?? []
  return found.filter(({ kind, label, deviceId }) => kind !== 'videoinput' && label !== '' && deviceId !== 'default')
}

/** Called when a device was plugged in or out. @returns unsubscribes. */
export function onDeviceChange(act: () => void): () => void {
  mediaDevices()?.addEventListener('devicechange', act)
  return () => mediaDevices()?.removeEventListener('devicechange', act)
}

export function closeStream(stream: MediaStream | undefined): void {
  for (const track of stream?.getTracks() ?? []) track.stop()
}
