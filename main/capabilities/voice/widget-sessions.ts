import { ApiError } from '../../contract/errors.ts'
import { textColorOn } from '../../contract/brand-theme.ts'
import type { WidgetAppearance } from '../../contract/voice.ts'
import type { WidgetLook } from '../../contract/widget-view.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { startTimeout } from '../../kernel/timeout.ts'
import { networkOf } from '../../kernel/address-range.ts'
import type { Allowance } from './allowance.ts'
import type { VoiceDeps } from './deps.ts'
import type { DirectCalls } from './direct-calls.ts'
import type { SignedLinks } from './links.ts'
import { requireOffer, unanswerableOffer } from './offer.ts'
import { isAllowedOrigin } from './origins.ts'
import type { RunningCall } from './running.ts'
import { widgetByKey, type StoredWidget } from './setup-store.ts'
import type { VoiceSetup } from './setup.ts'

/** Data that a page needs to show its widget. */
interface WidgetView extends WidgetLook {
  readonly language: WidgetAppearance['language']
  readonly video_enabled: boolean
}

/** The page that sends the request. */
interface WidgetPage {
  readonly origin: string | undefined
  readonly host: string | undefined
  /** Signed token of the widget's test page. */
  readonly test: string | undefined
}

export interface WidgetSessions {
  /** Whether the page may use the widget. Checked before the request body is read. */
  isAllowed(publicKey: string, page: WidgetPage): Promise<boolean>
  view(publicKey: string): Promise<WidgetView | undefined>
  /** Name and origins for the test page; undefined if the link has expired or the widget no longer exists. */
  testPage(publicKey: string, test: string): Promise<{ name: string; origins: readonly string[] } | undefined>
  /** Starts a call. @param from the visitor's address, for the rate limit. @throws ApiError */
  begin(publicKey: string, page: WidgetPage, from: string, offer: string): Promise<{ answer: string; session: string }>
  /** Ends the call of a session; unknown sessions are ignored. */
  end(publicKey: string, session: string): Promise<void>
}

const ANSWER_MS = 10_000
const MINUTE_MS = 60_000
/** Limits of calls per minute: for a visitor's address, and for all visitors of an origin. */
const PER_ADDRESS = 5
const PER_ORIGIN = 60
/**
 * Limit of concurrent calls from an address: below the number of channels, so that one stranger cannot take all of
 * them.
 */
const AT_ONCE = 2
const REMEMBERED = 10_000

/** Calls started by visitors of web pages. */
export function createWidgetSessions({
  db,
  clock,
  random,
  instances,
  direct,
  setup,
  allowance,
  links,
}: Pick<VoiceDeps, 'db' | 'clock' | 'random' | 'instances'> & {
  direct: DirectCalls
  setup: Pick<VoiceSetup, 'read'>
  allowance: Pick<Allowance, 'ofWidget'>
  links: Pick<SignedLinks, 'isValid'>
}): WidgetSessions {
  const begun = new Map<string, number[]>()
  const sessions = new Map<string, { widgetId: string; hangUp: () => void }>()
  /** Current calls per address. */
  const atOnce = new Map<string, number>()

  const find = (publicKey: string) => db.readOne(widgetByKey, { publicKey })
  const originsOf = (widget: StoredWidget) => JSON.parse(widget.allowedOrigins) as string[]
  const isTest = ({ publicKey: id, accountId }: StoredWidget, test: string): Promise<boolean> => {
    const [expires = '', signature = ''] = test.split('.')
    return links.isValid('widget-test', { id, accountId }, expires, signature)
  }

  async function isAllowed(widget: StoredWidget, { origin, host, test }: WidgetPage): Promise<boolean> {
    if (isAllowedOrigin(origin, originsOf(widget))) return true
    if (test === undefined || !(await isTest(widget, test))) return false
    // Browsers send no origin for a request to the page's own origin.
    return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)
  }

  /** @throws ApiError rate_limited */
  function limit(key: string, most: number): void {
    const now = clock.mono()
    const recent = (begun.get(key) ?? []).filter((at) => now - at < MINUTE_MS)
    if (recent.length >= most) throw tooMany(Math.ceil((MINUTE_MS - (now - (recent[0] ?? now))) / 1_000))
    begun.delete(key)
    begun.set(key, [...recent, now])
    if (begun.size > REMEMBERED) begun.delete([...begun.keys()][0] ?? '')
  }

  /** @returns a function that frees the slot. @throws ApiError rate_limited */
  function occupy(address: string): () => void {
    const count = atOnce.get(address) ?? 0
    if (count >= AT_ONCE) throw tooMany(MINUTE_MS / 1_000)
    atOnce.set(address, count + 1)
    return () => {
      const left = (atOnce.get(address) ?? 1) - 1
      if (left > 0) atOnce.set(address, left)
      else atOnce.delete(address)
    }
  }

  /** @throws ApiError service_unavailable, validation_error */
  async function connect(widget: StoredWidget, offer: string): Promise<RunningCall & { answer: string }> {
    const known = await instances.owned(widget.instanceId as InstanceId)
    const { plan } = await setup.read(widget.instanceId)
    const agent = known && (await direct.answeringAgent(known.subject, widget.agentId))
    if (known === undefined || plan === null || agent === undefined)
      throw new ApiError('service_unavailable', 'Nobody can answer here at the moment.')
    if ((await allowance.ofWidget({ one: db.readOne }, widget)).usedToday >= widget.dailyCap)
      throw new ApiError('service_unavailable', 'This widget has taken all its calls of today. Try again tomorrow.')
    const { promise, resolve } = Promise.withResolvers<string | null>()
    const call = await direct.arrive({
      ...{ instance: known.subject, agent, gateway: 'widget', source: 'widget', from: null, to: null },
      ...{ widgetId: widget.id, route: { kind: 'webrtc', offer }, onAnswer: resolve },
      async mayBegin(tx) {
        const { usedToday, reserved } = await allowance.ofWidget(tx, widget)
        return usedToday + reserved < widget.dailyCap
      },
    })
    if (call === null) throw new ApiError('service_unavailable', 'Every line is busy. Try again in a minute.')
    void call.ended.then(() => resolve(null))
    const late = startTimeout(clock, ANSWER_MS, () => resolve(null))
    const answer = await promise
    late.cancel()
    if (answer === null) {
      call.hangUp('no_media_connection')
      throw unanswerableOffer()
    }
    return { ...call, answer }
  }

  return {
    async isAllowed(publicKey, page) {
      const widget = await find(publicKey)
      return widget !== undefined && isAllowed(widget, page)
    },

    async view(publicKey) {
      const widget = await find(publicKey)
      if (widget === undefined) return undefined
      const appearance = JSON.parse(widget.appearance) as WidgetAppearance
      const { videoEnabled } = widget
      return { ...appearance, text_color: textColorOn(appearance.color), video_enabled: videoEnabled === 1 }
    },

    async testPage(publicKey, test) {
      const widget = await find(publicKey)
      if (widget === undefined || !(await isTest(widget, test))) return undefined
      return { name: widget.name, origins: originsOf(widget) }
    },

    async begin(publicKey, page, from, offer) {
      const widget = await find(publicKey)
      if (widget === undefined || !(await isAllowed(widget, page)))
        throw new ApiError('forbidden_origin', 'This page may not use the widget.')
      const address = networkOf(from)
      limit(`address ${address}`, PER_ADDRESS)
      requireOffer(offer)
      limit(`origin ${publicKey} ${page.origin ?? ''}`, PER_ORIGIN)
      const release = occupy(address)
      try {
        const call = await connect(widget, offer)
        const session = random.bytes(24).toString('base64url')
        sessions.set(session, { widgetId: widget.id, hangUp: () => call.hangUp('person_hung_up') })
        void call.ended.then(() => {
          sessions.delete(session)
          release()
        })
        return { answer: call.answer, session }
      } catch (error) {
        release()
        throw error
      }
    },

    async end(publicKey, session) {
      const found = sessions.get(session)
      const widget = await find(publicKey)
      if (found !== undefined && widget?.id === found.widgetId) found.hangUp()
    },
  }
}

const tooMany = (waitSeconds: number) =>
  new ApiError('rate_limited', 'Too many calls were started from this network. Try again in a minute.', {
    'Retry-After': String(waitSeconds),
  })
