import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { InstanceId, Random } from '../../kernel/ids.ts'
import type { Alarms } from '../alarms.ts'
import type { PasskeyFailure, PasskeyOptions } from '../engine.ts'
import type { Library } from './library.ts'
import { createPasskeyNetwork } from './passkey-network.ts'
import { createPasskeyCeremony, type PasskeyCeremony } from './passkey.ts'
import type { LinkingConnection } from './query.ts'
import { KEY_BYTES } from './shortcake.ts'
import { browserOf } from './wire.ts'

interface PasskeyLinkDeps {
  readonly clock: Pick<Clock, 'now' | 'mono'>
  readonly alarms: Alarms
  readonly random: Random
  readonly id: InstanceId
  changed(): void
  failed(reason: PasskeyFailure, code: number | null): void
}

/** The ceremonies of one instance: one at a time, and at most five in an hour. */
export interface PasskeyLink {
  /** The ceremony in progress. */
  current(): PasskeyCeremony | undefined
  /** @throws ApiError invalid_state */
  require(): PasskeyCeremony
  requested(connection: LinkingConnection, options: PasskeyOptions | null): void
  /** @param error what pending calls are rejected with. @returns whether one was in progress. */
  end(error?: ApiError): boolean
}

const MOST_IN_AN_HOUR = 5
const HOUR_MS = 3_600_000

export function createPasskeyLink({ clock, alarms, random, id, ...tell }: PasskeyLinkDeps): PasskeyLink {
  let ceremony: PasskeyCeremony | undefined
  let begunMono: number[] = []
  let attempts = 0

  function begin({ library, sock, session: { creds } }: LinkingConnection, options: PasskeyOptions | null): void {
    const seenSecret = Buffer.from(creds.advSecretKey, 'base64')
    const advSecret = random.bytes(KEY_BYTES)
    // From now on the phone signs with a new secret. Nothing is stored until it has.
    creds.advSecretKey = advSecret.toString('base64')
    attempts++
    ceremony = createPasskeyCeremony(
      {
        ...{ clock, alarms, random, id, library, seenSecret, firstAttempt: attempts },
        network: createPasskeyNetwork({ library, sock }),
        deviceType: deviceTypeOf(library),
        keys: {
          companionPublicKey: creds.noiseKey.public,
          companionIdentityKey: creds.signedIdentityKey.public,
          advSecret,
        },
        changed: () => {
          if (!ceremony) return
          attempts = ceremony.view().attempt
          tell.changed()
        },
        failed(reason, code) {
          ceremony = undefined
          tell.failed(reason, code)
        },
      },
      options,
    )
    tell.changed()
  }

  return {
    current: () => ceremony,
    require() {
      if (ceremony) return ceremony
      throw new ApiError(
        'invalid_state',
        'No passkey is requested now (passkey_not_asked). GET …/qr shows the current step.',
      ).because('passkey_ended')
    },
    requested(connection, options) {
      if (ceremony) return ceremony.requested(options)
      begunMono = begunMono.filter((mono) => clock.mono() - mono < HOUR_MS)
      if (begunMono.length >= MOST_IN_AN_HOUR) return tell.failed('too_often', null)
      begunMono.push(clock.mono())
      begin(connection, options)
    },
    end(error) {
      const wasUnderWay = ceremony !== undefined
      ceremony?.end(error)
      ceremony = undefined
      return wasUnderWay
    },
  }
}

/** Must be what we registered as: both sides derive a key from it. */
function deviceTypeOf(library: Library): number {
  const { PlatformType } = library.proto.DeviceProps
  const name = browserOf(library)[1].toUpperCase()
  return (PlatformType as unknown as Readonly<Record<string, number>>)[name] ?? PlatformType.CHROME
}
