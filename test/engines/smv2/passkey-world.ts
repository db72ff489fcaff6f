import type { EngineInstance, PasskeyState } from '../../../main/engines/engine.ts'
import type { PasskeyCredential } from '../../../main/contract/instance.ts'
import { fakeClock, type FakeClock } from '../../support/clock.ts'
import { until } from '../../support/service-process.ts'
import type { Applicant, Phone } from '../../support/whatsapp/index.ts'
import type { Habits } from '../../support/whatsapp/people.ts'
import type { RequestOptions } from '../../support/whatsapp/webauthn.ts'
import { lineWorld, type LineOptions, type LineWorld } from './line-world.ts'

/** An instance that pairs with the phone of an account that asks for its passkey. Its time is the test's. */
export interface PasskeyWorld extends LineWorld {
  readonly time: FakeClock
  readonly shop: EngineInstance
  readonly phone: Phone
  readonly applicant: Applicant
  /** The phone scans what is on screen. What becomes of it is read from the phone and the signals. */
  scan(habits?: Partial<Habits>): Promise<void>
  enter(habits?: Partial<Habits>): Promise<void>
  /** Waits until the step is reached. */
  step(step: PasskeyState['step']): Promise<PasskeyState>
  /** Waits until the options are there. */
  asked(): Promise<PasskeyState & { readonly options: RequestOptions }>
  credential(options: RequestOptions): PasskeyCredential
  respond(attempt: number, credential: PasskeyCredential): Promise<PasskeyState | undefined>
  /** Signs what is asked and hands it over. */
  answer(): Promise<PasskeyState | undefined>
  confirm(attempt: number, match: boolean): Promise<unknown>
  connected(): Promise<void>
  current(): Promise<PasskeyState | undefined>
}

const OURS = '12025550200'

export async function passkeyWorld(options: Omit<LineOptions, 'time'> = {}): Promise<PasskeyWorld> {
  const time = fakeClock()
  const world = await lineWorld({ ...options, time })
  const shop = world.instance()
  const phone = world.whatsapp.phone(OURS, { passkey: 'has' })
  const ceremony = () => {
    const found = world.smv2.engine.pairing?.passkey
    if (!found) throw new Error('smv2 links with a passkey')
    return found
  }
  const view = async () => world.smv2.engine.pairing?.current(shop)

  const whole: PasskeyWorld = Object.create(world, {
    ...Object.getOwnPropertyDescriptors({
      ...{ time, shop, phone },
      async scan(habits: Partial<Habits> = {}) {
        phone.behave(habits)
        await world.smv2.engine.start(shop)
        phone.scan(await world.qr(shop)).catch(() => {})
        await world.heard(shop, 'passkey_required')
      },
      async enter(habits: Partial<Habits> = {}) {
        phone.behave(habits)
        const found = await world.smv2.engine.pairing?.code(shop, OURS)
        phone.enter(found?.pairingCode ?? '').catch(() => {})
        await world.heard(shop, 'passkey_required')
      },
      step: (step: PasskeyState['step']) =>
        until(`step ${step}`, async () => {
          const state = await whole.current()
          return state?.step === step ? state : undefined
        }),
      asked: () =>
        until('options', async () => {
          const state = await whole.current()
          return state?.options ? { ...state, options: state.options as unknown as RequestOptions } : undefined
        }),
      credential: (asked: RequestOptions) => phone.passkey.assert(asked) as unknown as PasskeyCredential,
      async respond(attempt: number, credential: PasskeyCredential) {
        return (await ceremony().respond(shop, { attempt, credential })).passkey
      },
      async answer() {
        const { attempt, options: asked } = await whole.asked()
        return whole.respond(attempt, whole.credential(asked))
      },
      confirm: (attempt: number, match: boolean) => ceremony().confirm(shop, { attempt, match }),
      // The next connection waits its turn.
      connected: () =>
        until('connected', async () => {
          await time.advance(100)
          return world.of(shop, 'connected').length > 0
        }).then(() => {}),
      current: async () => (await view())?.passkey,
    }),
    applicant: { get: () => world.whatsapp.applicant() },
  }) as PasskeyWorld
  return whole
}
