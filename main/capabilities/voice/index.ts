import type { FileContent } from '../../kernel/file-content.ts'
import { systemClock } from '../../kernel/clock.ts'
import { cause } from '../../kernel/log.ts'
import { atMost } from '../../kernel/timeout.ts'
import { createAllowance } from './allowance.ts'
import { answerIncoming } from './incoming.ts'
import type { StoredCall } from './call-store.ts'
import { createCalls } from './calls.ts'
import { createCheck } from './check.ts'
import { createCloudLegs } from './cloud-legs.ts'
import { createConsoleConnections } from './console-connections.ts'
import { createControls } from './controls.ts'
import type { VoiceDeps } from './deps.ts'
import { createDial } from './dial.ts'
import { createDirectCalls } from './direct-calls.ts'
import { createEndings } from './ending.ts'
import { createLeaving } from './leaving.ts'
import { createSignedLinks } from './links.ts'
import { createMove } from './move.ts'
import { createOverdue } from './overdue.ts'
import { createPhoneSide } from './phone-side.ts'
import { createRecordings } from './recordings.ts'
import { createRecovery } from './recovery.ts'
import { createReview } from './review.ts'
import { createRoutes } from './routes.ts'
import { createRunning } from './running.ts'
import { createSchedule } from './schedule.ts'
import { createSetup } from './setup.ts'
import { createStanding } from './standing.ts'
import { createSpeech } from './speech.ts'
import { createTrunks } from './trunks.ts'
import { createWidgetSessions, type WidgetSessions } from './widget-sessions.ts'
import { createWidgets } from './widgets.ts'

export type { VoiceAgent, VoiceAgents, VoiceTurn } from './agents.ts'
export type { VoiceDeps } from './deps.ts'

/** The functions that the service's pages need from calls. */
export interface VoicePages {
  /** A recording by its signed link; undefined if the link is invalid or the recording no longer exists. */
  recording(id: string, expires: string, signature: string): Promise<FileContent | undefined>
  readonly widgets: WidgetSessions
}

export type Voice = ReturnType<typeof createVoice>

/** Time limit for hanging up the last calls at the networks. */
const TERMINATED_MS = 500

/** Calls, recordings and widgets. */
export function createVoice(deps: VoiceDeps) {
  const { db, log, instances, jobs, process } = deps
  const routes = createRoutes(deps)
  const speech = createSpeech(deps)
  const standing = createStanding(deps)
  const setup = createSetup({ ...deps, routes })
  const publish = (call: StoredCall) => running.publish(call)
  const review = createReview({ ...deps, setup, publish })
  const allowance = createAllowance(deps)
  const endings = createEndings({ ...deps, allowance, afterCall: review.add })
  const running = createRunning({ ...deps, endings, standing })
  const cloudLegs =
    deps.cloud === null
      ? null
      : createCloudLegs({
          ...{ cloud: deps.cloud, running, log },
          onOffered: (instanceId, event) => incoming.overCloud(instanceId, event),
        })
  const overdue = createOverdue({ ...deps, publish })
  const dial = createDial({ ...deps, overdue, standing, allowance, running, setup, routes, speech, cloudLegs })
  const dialing = jobs.define(dial.kind)
  const schedule = createSchedule({ ...deps, standing, setup, dial, jobs: dialing, publish })
  const consoleConnections = createConsoleConnections(deps)
  const direct = createDirectCalls({
    ...{ ...deps, standing, allowance, running, setup, dial, routes, schedule, consoleConnections },
  })
  const incoming = answerIncoming({ ...deps, direct, setup, cloudLegs, routes })
  const calls = createCalls({ ...deps, running, consoleConnections })
  const controls = createControls({ ...deps, running, calls })
  const links = createSignedLinks(deps)
  const recordings = createRecordings({ ...deps, links })
  const widgets = createWidgets({ ...deps, links, allowance, endCallsOf: calls.endCallsOf })
  const trunks = createTrunks({ ...deps, routes })
  const recovery = createRecovery({ ...deps, running, endings, overdue, registerTrunks: trunks.registerAll })

  process.onIncoming((call) => {
    incoming
      .overTrunk(call)
      .catch((error: unknown) => log.warn({ event: 'voice.incoming_failed', cause: cause(error) }))
  })
  instances.subscribe(createLeaving({ ...deps, running }))
  deps.onRefusalChanged(running.endRefused)

  return {
    /** Calls from simulated phones. */
    ringFromPhone: incoming.overSandbox,
    phoneSide: createPhoneSide({ db, running }),
    ...{ setup, schedule, direct, calls, controls, recordings, widgets, speech, trunks, db },
    /** Runs in the commit that ends the access of a person or key: ends the signed links of the account. */
    endLinksOf: links.endOf,
    check: createCheck({ ...deps, routes, speech, folder: endings.folder }),
    pages: {
      recording: recordings.bySignedLink,
      widgets: createWidgetSessions({ ...deps, direct, db, setup, allowance, links }),
    } satisfies VoicePages,
    movePerson: createMove(deps),
    recover: recovery.recover,
    async start() {
      recovery.start()
      await trunks.registerAll()
    },
    async stop(ms: number) {
      await running.stop(ms)
      await Promise.all([
        recovery.stop(),
        atMost(systemClock, TERMINATED_MS, cloudLegs?.settled() ?? Promise.resolve()),
      ])
    },
    async close() {
      await process.close()
      await deps.mailbox.close()
    },
  }
}
