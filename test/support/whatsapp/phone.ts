import { createChatTimers } from './chat-timers.ts'
import { createAppState } from './app-state.ts'
import { createEar } from './ear.ts'
import { welcomeHistory } from './history.ts'
import type { DeviceInside } from './linked-device.ts'
import { createMouth } from './mouth.ts'
import { createNotices } from './notices.ts'
import { peerStanza } from './own-phone.ts'
import type { Habits, Phone, PhoneCore, PhoneInside, Surroundings } from './people.ts'
import { createSignalEnd } from './signal.ts'
import { createPasskey, type Passkey } from './webauthn.ts'

const HABITS: Habits = {
  isOnline: true,
  receipts: 'read',
  deliveredAfterMs: 20,
  readAfterMs: 40,
  repeatsReceipts: false,
  shows: 'number',
  name: '',
  scansWith: 'app',
  refreshTag: 'companion_reg_refresh',
  passkey: 'none',
  compares: false,
  answersForHistory: true,
}

/** @param pairing the functions with which this phone links clients. */
export function createPhone(
  { number, lid }: { readonly number: string; readonly lid: string },
  around: Surroundings,
  pairing: (phone: () => PhoneInside) => Pick<Phone, 'scan' | 'enter'>,
): PhoneInside {
  const core = createCore(number, lid)
  const { signal, devices, known, writers, inTurn } = core
  const receipts = new Map<string, string[]>()
  const passkeys: Passkey[] = []
  const self = () => phone
  const appState = createAppState(core, around, self)
  const account = {
    number,
    lid,
    signal,
    devices,
    known,
    writers,
    appState,
    places: [],
    about: null,
    blocked: [],
    linked: devices,
    get habits() {
      return core.habits
    },
    get device() {
      const last = devices.at(-1)
      if (last === undefined) throw new Error(`nothing is linked to ${number}`)
      return last
    },
    get passkeys() {
      if (passkeys.length === 0 && (core.habits.passkey === 'has' || core.habits.passkey === 'refuses'))
        passkeys.push(createPasskey())
      return passkeys
    },
    get passkey() {
      const newest = account.passkeys.at(-1)
      if (newest === undefined) throw new Error(`${number} has no passkey`)
      return newest
    },
    createPasskey() {
      const created = createPasskey()
      passkeys.push(created)
      return created
    },
    timerOf: (other: string) => core.timers.of(other),
    behave: (next: Partial<Habits>) => void (core.habits = { ...core.habits, ...next }),
    loseSessions: () => signal.forgetAll(),
    link(device: DeviceInside) {
      appState.begin()
      devices.push(device)
    },
    unlink: (device: DeviceInside) => void devices.splice(devices.indexOf(device), 1),
    welcome: (device: DeviceInside) =>
      void inTurn(async () => {
        await appState.share(device)
        device.enqueue(await peerStanza(phone, device, welcomeHistory(phone, around.phone)))
      }),
    receiptsOf: (id: string) => receipts.get(id) ?? [],
    noteReceipt: (id: string, type: string) => void receipts.set(id, [...(receipts.get(id) ?? []), type]),
  }
  const phone: PhoneInside = joined(
    account,
    joined(createMouth(core, around, self), createEar(core, around, self)),
    joined(createNotices(core, around), pairing(self)),
  )
  return phone
}

function createCore(number: string, lid: string): PhoneCore {
  let order: Promise<unknown> = Promise.resolve()
  return {
    number,
    lid,
    signal: createSignalEnd(number),
    devices: [],
    known: new Map(),
    writers: new Set(),
    timers: createChatTimers(),
    habits: number.endsWith('0007') ? { ...HABITS, receipts: 'none' } : HABITS,
    inTurn(act) {
      const done = order.then(act)
      order = done.catch(() => {})
      return done
    },
  }
}

/** Joins several objects into one and keeps their getters. */
function joined<A extends object, B extends object, C extends object = object>(a: A, b: B, c?: C): A & B & C {
  const properties = { ...Object.getOwnPropertyDescriptors(a), ...Object.getOwnPropertyDescriptors(b) }
  return Object.defineProperties({}, { ...properties, ...(c && Object.getOwnPropertyDescriptors(c)) }) as A & B & C
}
