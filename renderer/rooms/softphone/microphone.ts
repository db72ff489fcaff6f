/** Why the microphone cannot be used. */
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

/**
 * Browsers offer microphones only to pages over https and to pages of this computer. For all other pages, this
 * property does not exist.
 */
const mediaDevices = (): MediaDevices | undefined =>
  (navigator as { readonly mediaDevices?: MediaDevices }).mediaDevices

export const isSecurePage = (): boolean => isSecureContext && mediaDevices() !== undefined

const CLEAR = { echoCancellation: true, noiseSuppression: true, autoGainControl: true }

/**
 * @param deviceId the selected device. If it no longer exists, the computer's default is used. @throws
 * MicrophoneError
 */
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

/** The audio devices. Without permission, devices have no names and are left out. */
export async function listDevices(): Promise<readonly MediaDeviceInfo[]> {
  const found = (await mediaDevices()?.enumerateDevices()) ?? []
  return found.filter(({ kind, label, deviceId }) => kind !== 'videoinput' && label !== '' && deviceId !== 'default')
}

/** Calls `act` when a device was connected or disconnected. @returns a function that unsubscribes. */
export function onDeviceChange(act: () => void): () => void {
  mediaDevices()?.addEventListener('devicechange', act)
  return () => mediaDevices()?.removeEventListener('devicechange', act)
}

export function closeStream(stream: MediaStream | undefined): void {
  for (const track of stream?.getTracks() ?? []) track.stop()
}
