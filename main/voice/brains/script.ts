import { AGENT_VOICE } from '../speech/speech.ts'
import { speak, type BrainDeps, type VoiceBrain } from './brain.ts'

const CANNOT_UNDERSTAND =
  'I cannot understand speech on this line yet. Please say what you need after this, and somebody will call you back.'

/**
 * Speaks with the built-in voice. It understands sandbox people, whose words arrive as text; real callers hear the
 * greeting and can leave a recorded message.
 */
export function createScriptBrain(deps: BrainDeps): VoiceBrain {
  const stopped = new AbortController()
  let talking: Promise<unknown> = Promise.resolve()

  let busy = 0
  const whileBusy = <T>(work: Promise<T>): Promise<T> => {
    busy++
    return work.finally(() => busy--)
  }

  const say = (text: string) => {
    const before = talking
    talking = whileBusy(
      before
        .then(() => (stopped.signal.aborted ? undefined : speak(deps, deps.builtIn, text, AGENT_VOICE, stopped.signal)))
        .catch(deps.onFailed),
    )
  }

  return {
    start() {
      const { announcement, agent, hasCaptions } = deps
      if (announcement !== null) say(announcement)
      say(agent.greeting)
      if (!hasCaptions) say(CANNOT_UNDERSTAND)
    },
    hear() {},
    caption(text) {
      void whileBusy(deps.answer(text)).then((reply) => {
        if (stopped.signal.aborted) return
        if (reply.text !== null) say(reply.text)
        if (reply.hangUp) void talking.then(deps.hangUpWhenQuiet)
      })
    },
    isBusy: () => busy > 0,
    stop: () => stopped.abort(),
  }
}
