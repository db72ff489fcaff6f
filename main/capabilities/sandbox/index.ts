import { ApiError } from '../../contract/errors.ts'
import { isUuid } from '../../contract/request.ts'
import {
  CATCHER_NAME,
  LINK_FAULTS,
  type CatcherReply,
  type CatcherView,
  type LinkFault,
  type SandboxCall,
  type SandboxMessage,
  type SandboxPhone,
  type SandboxProfile,
  type SendFault,
  type SpokenMessage,
} from '../../contract/sandbox.ts'
import type { GraphSimulator } from '../../engines/sandbox/graph/index.ts'
import type { ModelSimulator } from '../../simulators/model/index.ts'
import type { Catcher, PhoneSettings, SandboxNetwork, Tap } from '../../engines/sandbox/index.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Cursors } from '../../kernel/page.ts'
import type { InstanceSubject } from '../handler.ts'
import type { PageQuery } from './contract/parts.ts'
import type { PhonesQuery, ScanBody, SettingsBody } from './contract/phones.ts'
import type { SpeechBody } from './contract/messages.ts'
import { createGraphControls, type GraphControls } from './graph-controls.ts'
import { createModelControls, type ModelControls } from './model-controls.ts'
import { page, type Page } from './pages.ts'
import { createPhoneCalls, type PhoneSide, type RingHere } from './phone-calls.ts'
import { toCall, toCaught, toMessage, toPhone, toProfile, toReply, toSpoken } from './record.ts'
import { toUtterance } from './utterance.ts'
import { toScanned } from './scan.ts'

export interface SandboxDeps {
  readonly network: SandboxNetwork
  /** null: not running. */
  readonly graph: GraphSimulator | null
  readonly catcher: Catcher
  readonly model: ModelSimulator
  readonly cursors: Cursors
  /** Renders a QR text exactly as the QR view shows it, as a data URI. */
  readonly render: (text: string) => Promise<string>
  /** Rings a phone's call at an instance. */
  readonly ring: RingHere
  readonly phoneSide: PhoneSide
  /** The instance with this id, if it belongs to the account. */
  readonly subject: (accountId: AccountId, instanceId: string) => Promise<InstanceSubject | undefined>
}

/** Actions on the sandbox network of one account. */
export interface Sandbox {
  changePhone(
    accountId: AccountId,
    number: string,
    settings: SettingsBody,
  ): Promise<{ phone: SandboxPhone; existed: boolean }>
  listPhones(accountId: AccountId, query: PhonesQuery): Promise<Page<SandboxPhone>>
  listMessages(accountId: AccountId, number: string, query: PageQuery): Promise<Page<SandboxMessage>>
  profile(accountId: AccountId, number: string): Promise<SandboxProfile>
  /** @throws ApiError not_found, invalid_state */
  joinGroup(accountId: AccountId, number: string, link: string): Promise<{ id: string; waits: boolean }>
  scan(accountId: AccountId, number: string, body: ScanBody): ReturnType<SandboxNetwork['scan']>
  speak(accountId: AccountId, number: string, body: SpeechBody): Promise<SpokenMessage>
  edit(accountId: AccountId, number: string, id: string, text: string): Promise<SandboxMessage>
  remove(accountId: AccountId, number: string, id: string): Promise<SandboxMessage>
  call(
    accountId: AccountId,
    number: string,
    body: { readonly to: string; readonly video?: boolean },
  ): Promise<{ call_id: string; instance_ids: string[]; voice_call: { instance_id: string; call_id: string } | null }>
  /** Calls from our numbers that are ringing or running at the phone. */
  listCalls(accountId: AccountId, number: string): Promise<SandboxCall[]>
  /** Answers a call from one of our numbers. @throws ApiError not_found */
  answer(accountId: AccountId, number: string, callId: string): Promise<void>
  /** The phone declines, cancels or ends the call. @throws ApiError not_found */
  hangUp(accountId: AccountId, number: string, callId: string): Promise<void>
  vote(accountId: AccountId, number: string, id: string, options: readonly string[]): Promise<SandboxMessage>
  tap(accountId: AccountId, number: string, id: string, tap: Tap): Promise<SpokenMessage>
  react(accountId: AccountId, number: string, id: string, emoji: string): Promise<SandboxMessage>
  /** @throws ApiError not_found, engine_mismatch, or validation_error for an instance of the live network. */
  requireInstance(accountId: AccountId, id: string, engine?: InstanceSubject['engine']): Promise<InstanceSubject>
  /** @returns the id in its stored spelling, and how many sends are affected; null for faults of the connection. */
  causeFault(
    accountId: AccountId,
    id: string,
    kind: SendFault | LinkFault,
    times: number,
  ): Promise<{ id: string; times: number | null }>
  onboard(accountId: AccountId, id: string, number: string): Promise<{ id: string }>
  readCatcher(accountId: AccountId, name: string, query: PageQuery): Promise<CatcherView>
  setCatcherReply(accountId: AccountId, name: string, reply: CatcherReply): Promise<CatcherReply>
  emptyCatcher(accountId: AccountId, name: string): Promise<void>
  readonly graph: GraphControls
  readonly model: ModelControls
}

export function createSandbox(needs: SandboxDeps): Sandbox {
  const { network, catcher, cursors } = needs
  const phoneCalls = createPhoneCalls(network, needs.ring, needs.phoneSide)

  const requireInstance: Sandbox['requireInstance'] = async (accountId, id, engine) => {
    const found = isUuid(id) ? await needs.subject(accountId, id.toLowerCase()) : undefined
    if (found === undefined || found.deleted) throw new ApiError('not_found', 'There is no instance with this id.')
    if (engine !== undefined && found.engine !== engine) {
      throw new ApiError(
        'engine_mismatch',
        'Only official instances are onboarded. Pair an smv2 instance with its QR code.',
      )
    }
    if (found.network === 'sandbox') return found
    throw new ApiError(
      'validation_error',
      'This instance is on the live network. The sandbox only works with instances created with network "sandbox".',
    ).because('sandbox_only')
  }

  return {
    async changePhone(accountId, number, settings) {
      const { phone, existed } = await network.changePhone(accountId, numberOf(number), toSettings(settings))
      return { phone: toPhone(phone), existed }
    },
    listPhones: (accountId, { q, ...query }) =>
      page(
        cursors,
        q === undefined ? `${accountId} phones` : `${accountId} phones ${q}`,
        query,
        (before, rows) => network.listPhones(accountId, before, rows, q),
        toPhone,
      ),
    async listMessages(accountId, number, query) {
      const phone = numberOf(number)
      const read = (before: number, rows: number) => network.listMessages(accountId, phone, before, rows)
      return page(cursors, `${accountId} phone ${phone} messages`, query, read, toMessage)
    },
    async profile(accountId, number) {
      const phone = numberOf(number)
      return toProfile(phone, await network.profile(accountId, phone))
    },
    joinGroup: async (accountId, number, link) =>
      network.enterGroup(accountId, numberOf(number), link.split('/').at(-1) ?? ''),
    async scan(accountId, number, body) {
      return network.scan(accountId, numberOf(number), await toScanned(needs, accountId, body))
    },
    speak: async (accountId, number, body) =>
      toSpoken(await network.speak(accountId, numberOf(number), toUtterance(body))),
    edit: async (accountId, number, id, text) => toMessage(await network.edit(accountId, numberOf(number), id, text)),
    remove: async (accountId, number, id) => toMessage(await network.remove(accountId, numberOf(number), id)),
    async call(accountId, number, { to, video = false }) {
      const from = numberOf(number)
      const { callId, instanceIds } = await network.call(accountId, from, to, video)
      const call = { call_id: callId, instance_ids: [...instanceIds] }
      // Video calls only produce events.
      return { ...call, voice_call: video ? null : await phoneCalls.place(callId, { accountId, from, instanceIds }) }
    },
    listCalls: async (accountId, number) => (await needs.phoneSide.list(accountId, numberOf(number))).map(toCall),
    answer: (accountId, number, callId) => needs.phoneSide.answer(accountId, numberOf(number), callId),
    hangUp: (accountId, number, callId) => phoneCalls.hangUp(accountId, numberOf(number), callId),
    vote: async (accountId, number, id, options) =>
      toMessage(await network.vote(accountId, numberOf(number), id, options)),
    tap: async (accountId, number, id, tap) => toSpoken(await network.tap(accountId, numberOf(number), id, tap)),
    react: async (accountId, number, id, emoji) =>
      toMessage(await network.react(accountId, numberOf(number), id, emoji)),

    requireInstance,
    async causeFault(accountId, id, kind, times) {
      const instance = await requireInstance(accountId, id)
      if (isLinkFault(kind)) {
        await network.breakLink(instance, kind)
        return { id: instance.id, times: null }
      }
      await network.failSends(instance, kind, times)
      return { id: instance.id, times }
    },
    async onboard(accountId, id, number) {
      const instance = await requireInstance(accountId, id, 'official')
      await network.onboard(instance, number)
      return { id: instance.id }
    },

    async readCatcher(accountId, name, query) {
      const known = catcherName(name)
      const read = (before: number, rows: number) => catcher.list(accountId, known, before, rows)
      const caught = await page(cursors, `${accountId} catcher ${known}`, query, read, toCaught)
      return { name: known, reply: toReply(await catcher.reply(accountId, known)), ...caught }
    },
    async setCatcherReply(accountId, name, reply) {
      const { status, delay_ms: delayMs, hang } = reply
      await catcher.setReply(accountId, catcherName(name), { status, delayMs, hang })
      return reply
    },
    async emptyCatcher(accountId, name) {
      await catcher.empty(accountId, catcherName(name))
    },
    graph: createGraphControls(needs.graph),
    model: createModelControls(needs.model),
  }
}

const NUMBER = /^[0-9]{7,15}$/
const CATCHER = new RegExp(CATCHER_NAME)

function numberOf(text: string): string {
  if (NUMBER.test(text)) return text
  throw new ApiError('not_found', 'The phone must be a number with country code: 7 to 15 digits and nothing else.')
}

function catcherName(text: string): string {
  if (CATCHER.test(text)) return text
  throw new ApiError('not_found', 'The name of a catcher is 1 to 64 letters, digits or . _ ~ -.')
}

const isLinkFault = (kind: SendFault | LinkFault): kind is LinkFault =>
  (LINK_FAULTS as readonly string[]).includes(kind)

/** Only the fields that were sent; all others stay unchanged. */
function toSettings(settings: SettingsBody): Partial<PhoneSettings> {
  const { name, online, receipts, delay_ms: delayMs, calls, passkey } = settings
  const { drop_receipts: dropReceipts, duplicate_receipts: duplicateReceipts } = settings
  const wanted = { name, online, receipts, delayMs, calls, passkey, dropReceipts, duplicateReceipts }
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))
}
