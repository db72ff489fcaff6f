import type { Gateway, UnavailableReason } from '../../contract/voice.ts'
import { TRAITS } from '../../contract/engine-traits.ts'
import type { Route, SandboxPerson, SipTrunk } from '../../voice/protocol.ts'
import type { InstanceSubject } from '../handler.ts'
import type { VoiceDeps } from './deps.ts'
import { trunkOf } from './setup-store.ts'

interface Availability {
  readonly gateway: Gateway | null
  readonly reason: UnavailableReason | null
  readonly message: string | null
}

/** How calls are carried: by the simulated network, a trunk, or the engine. */
export type RouteKind = 'sandbox' | 'sip' | InstanceSubject['engine']

type RouteInstance = Pick<InstanceSubject, 'id' | 'engine' | 'network'>

/** Questions of a simulated person to an agent without its own questions. */
const QUESTIONS = ['Who is calling, please?', 'Can you send me the details in a message?']
const GOODBYE = 'Thank you, that is all. Goodbye.'
const QUESTIONS_ASKED = 2
const ANSWER_AFTER_MS = 2_000

/** Numbers of simulated people who do not answer, by their last four digits. */
const OUTCOMES: Readonly<Record<string, SandboxPerson['outcome']>> = {
  '0486': 'busy',
  '0480': 'no_answer',
  '0603': 'rejected',
}
const WITHOUT_PERMISSION = '0463'

export const needsSandboxPermission = (number: string): boolean => number.endsWith(WITHOUT_PERMISSION)

/** Chooses the route of an instance's calls. */
export function createRoutes({
  db,
  seal,
  config,
  process,
  cloud,
}: Pick<VoiceDeps, 'db' | 'seal' | 'config' | 'process' | 'cloud'>) {
  const unavailable = (reason: UnavailableReason, message: string): Availability => ({ gateway: null, reason, message })
  const over = (gateway: Gateway): Availability => ({ gateway, reason: null, message: null })

  const kindOf = ({ engine, network }: RouteInstance, hasTrunk: boolean): RouteKind =>
    network === 'sandbox' ? 'sandbox' : hasTrunk ? 'sip' : engine

  /** The route of such an instance's calls, or why there is none. */
  function way(kind: RouteKind): Availability {
    if (!process.isThere)
      return unavailable('process_failed', 'This build has no voice process. Start Switchboard from a complete build.')
    if (kind === 'sandbox' || kind === 'sip') return over(kind)
    if (TRAITS[kind].hasCalls && cloud !== null) return over('cloud')
    return unavailable(
      'no_gateway',
      'WhatsApp offers no calls to linked phones. Set a SIP trunk to make telephone calls, or use an official number.',
    )
  }

  async function availability(instance: RouteInstance): Promise<Availability> {
    const trunk = await db.readOne(trunkOf, { instanceId: instance.id })
    return way(kindOf(instance, trunk !== undefined))
  }

  return {
    availability,
    way,

    /** @throws ApiError sealed */
    async trunk(instanceId: string): Promise<SipTrunk | undefined> {
      const row = await db.readOne(trunkOf, { instanceId })
      if (row === undefined) return undefined
      const { password, byOperator, ...rest } = row
      return {
        ...rest,
        password: password === null ? '' : seal.open(password, trunkOwner(instanceId)).open(),
        trustedRanges: byOperator === 1 ? config.trustedRanges : [],
      }
    },

    /** @param isByHand a person answers with the simulated phone. */
    sandbox(
      number: string,
      { questions, isAgent, isByHand }: { questions: readonly string[]; isAgent: boolean; isByHand: boolean },
    ): Route {
      const asked = questions.length > 0 ? questions.slice(0, QUESTIONS_ASKED) : QUESTIONS
      return {
        kind: 'sandbox',
        person: {
          outcome: isByHand ? 'no_answer' : (OUTCOMES[number.slice(-4)] ?? 'answers'),
          answerAfterMs: ANSWER_AFTER_MS,
          speaksFirst: !isAgent,
          lines: isAgent ? [...asked, GOODBYE] : ['Hello?', ...QUESTIONS, GOODBYE],
          // A real person hears it at normal speed.
          speed: isAgent && !isByHand ? config.voiceSandboxSpeed : 1,
        },
      }
    },

    /** A simulated caller; their phone does not ring. */
    sandboxCaller(questions: readonly string[], isAgent: boolean): Route {
      const asked = questions.length > 0 ? questions.slice(0, QUESTIONS_ASKED) : QUESTIONS
      return {
        kind: 'sandbox',
        person: {
          ...{ outcome: 'answers', answerAfterMs: 0, speaksFirst: false },
          lines: [...asked, GOODBYE],
          speed: isAgent ? config.voiceSandboxSpeed : 1,
        },
      }
    },
  }
}

export type Routes = ReturnType<typeof createRoutes>

/** Binds the sealed password to its instance. */
export const trunkOwner = (instanceId: string): string => `voice trunk:${instanceId}`
