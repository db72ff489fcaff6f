import { ref, toRaw, watch, type Ref } from 'vue'
import type { InstanceRecord, PasskeyCredential, PasskeyView } from '../../../main/contract/instance.ts'
import { SANDBOX_CREDENTIAL } from '../../../main/contract/sandbox.ts'
import type { WindowBridge } from '../../../main/contract/window-bridge.ts'
import { call } from '../../app/api.ts'
import { asProblem } from '../../app/problem.ts'
import { windowBridge } from '../../app/window-bridge.ts'
import { parseCredential, troubleOf, type PasskeyTrouble } from './passkey.ts'

export interface PasskeyAnswers {
  readonly isBusy: Ref<boolean>
  readonly trouble: Ref<PasskeyTrouble | undefined>
  /** Asks for the passkey in this window; undefined if only the person's own browser can. */
  readonly sign: (() => Promise<void>) | undefined
  /** Sends what the script printed in the person's own browser. @returns whether it was accepted. */
  readonly paste: (text: string) => Promise<boolean>
  readonly confirm: (match: boolean) => Promise<void>
}

interface Ceremony {
  readonly instance: () => InstanceRecord
  readonly passkey: () => PasskeyView
  /** Reads the state of pairing again, because every answer changes it. */
  readonly read: () => void
}

/** Sends the person's answers to a passkey request. They are not stored. */
export function usePasskey({ instance, passkey, read }: Ceremony): PasskeyAnswers {
  const isBusy = ref(false)
  const trouble = ref<PasskeyTrouble>()
  const params = { id: instance().id }

  watch(
    () => passkey().step,
    () => (trouble.value = undefined),
  )

  /** Runs one attempt at a time. @returns whether it was accepted. */
  async function attempt(act: () => Promise<unknown>): Promise<boolean> {
    if (isBusy.value) return false
    isBusy.value = true
    trouble.value = undefined
    try {
      await act()
      return true
    } catch (error) {
      trouble.value = troubleOf(asProblem(error))
      return false
    } finally {
      isBusy.value = false
      read()
    }
  }

  const respond = (credential: PasskeyCredential) =>
    call('answerInstancePasskey', { params, body: { attempt: passkey().attempt, credential } })

  async function paste(text: string): Promise<boolean> {
    const credential = parseCredential(text)
    if (credential) return attempt(() => respond(credential))
    trouble.value = 'unreadable'
    return false
  }

  async function confirm(match: boolean): Promise<void> {
    await attempt(() => call('confirmInstancePasskey', { params, body: { attempt: passkey().attempt, match } }))
  }

  async function signOnSandbox(): Promise<void> {
    await attempt(() => respond(SANDBOX_CREDENTIAL))
  }

  const bridge = windowBridge()
  async function signInApp({ signPasskey }: Pick<WindowBridge, 'signPasskey'>): Promise<void> {
    const { options } = passkey()
    if (!options) return
    await attempt(async () => {
      // Reactive objects can't be passed to the bridge.
      const outcome = await signPasskey({ options: structuredClone(toRaw(options)) })
      if (outcome.kind === 'signed') await respond(outcome.credential)
      else trouble.value = outcome.kind
    })
  }

  const inApp = bridge && (() => signInApp(bridge))
  const sign = instance().network === 'sandbox' ? signOnSandbox : inApp
  return { isBusy, trouble, sign, paste, confirm }
}
