import type { KeyObject } from 'node:crypto'
import type { UpdateState } from '../contract/window-bridge.ts'
import { cause, type Log } from '../kernel/log.ts'
import { isOneOf, offerOf, type Release } from './update-signature.ts'

/** Source of updates; `updater.ts` is the real one. */
export interface UpdateChannel {
  /** Built-in public key; releases not signed with its private key are refused. */
  readonly key: KeyObject
  /** The newest release of the channel, and whether it applies to this machine (system, staged rollouts). */
  latest(): Promise<{ readonly metadata: unknown; readonly isForUs: boolean }>
  /** Downloads that release. @returns the file. */
  fetch(onPercent: (percent: number) => void): Promise<string>
  /** Installs the downloaded file, quits and reopens the app. @param onFailure called if it fails. */
  install(onFailure: (error: unknown) => void): void
}

export interface Updates {
  state(): UpdateState
  check(): Promise<UpdateState>
  fetch(): Promise<UpdateState>
  restart(): Promise<UpdateState>
}

interface UpdatesDeps {
  /** null: no updates are ever requested. */
  readonly channel: UpdateChannel | null
  readonly current: string
  readonly log: Log
  readonly readFile: (file: string) => AsyncIterable<Uint8Array>
  /** Finishes the service's work, so that the installer finds it stopped. */
  readonly finish: () => Promise<void>
  /** Reopens the app unchanged, after the service has stopped and nothing was installed. */
  readonly reopen: () => void
  readonly onState: (state: UpdateState) => void
}

/**
 * Offers, downloads, verifies and installs updates; the person starts each step. A file is verified after the
 * download and again right before it is installed, because days may lie between.
 */
export function createUpdates({ channel, current, log, readFile, finish, reopen, onState }: UpdatesDeps): Updates {
  let state: UpdateState = { kind: channel === null ? 'none' : 'idle' }
  let offered: Release | undefined
  let file: string | undefined

  function setState(next: UpdateState): UpdateState {
    state = next
    onState(next)
    return next
  }

  function refuse(why: string): UpdateState {
    log.error({ event: 'update.refused', why })
    offered = file = undefined
    return setState({ kind: 'refused' })
  }

  function fail(error: unknown): UpdateState {
    log.warn({ event: 'update.failed', cause: cause(error) })
    return setState({ kind: 'failed' })
  }

  async function isVerified(): Promise<boolean> {
    return offered !== undefined && file !== undefined && (await isOneOf(offered, readFile(file)))
  }

  /** One step at a time; a second click has no effect. */
  const from = (kinds: readonly UpdateState['kind'][], act: (channel: UpdateChannel) => Promise<UpdateState>) => () =>
    channel === null || !kinds.includes(state.kind) ? Promise.resolve(state) : act(channel).catch(fail)

  return {
    state: () => state,
    check: from(['idle', 'newest', 'offered', 'refused', 'failed'], async (source) => {
      setState({ kind: 'looking' })
      const { metadata, isForUs } = await source.latest()
      const offer = offerOf(metadata, { key: source.key, current })
      if (offer.kind === 'refused') return refuse(offer.why)
      if (offer.kind === 'newest' || !isForUs) return setState({ kind: 'newest' })
      offered = offer.release
      return setState({ kind: 'offered', version: offered.version })
    }),
    fetch: from(['offered'], async (source) => {
      const version = offered?.version ?? ''
      setState({ kind: 'fetching', version, percent: 0 })
      file = await source.fetch((percent) => void setState({ kind: 'fetching', version, percent: Math.floor(percent) }))
      return (await isVerified()) ? setState({ kind: 'ready', version }) : refuse('tampered')
    }),
    restart: from(['ready'], async (source) => {
      const version = offered?.version ?? ''
      setState({ kind: 'installing', version })
      if (!(await isVerified())) return refuse('tampered')
      await finish()
      source.install((error) => {
        fail(error)
        reopen()
      })
      return state
    }),
  }
}
