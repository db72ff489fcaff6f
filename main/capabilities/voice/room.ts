import { room } from '../room.ts'
import { voiceContract } from './contract.ts'
import type { VoiceDeps } from './deps.ts'
import { voiceExistence, voiceHandlers } from './handlers.ts'
import { createVoice } from './index.ts'

export function voiceRoom(deps: VoiceDeps) {
  const voice = createVoice(deps)
  return room({
    name: 'voice',
    contract: voiceContract,
    handlers: voiceHandlers(voice, deps),
    existence: voiceExistence(voice),
    recover: voice.recover,
    start: voice.start,
    stop: voice.stop,
    close: voice.close,
    chores: [voice.recordings.retention],
    api: voice,
    problems() {
      const text = deps.process.problem()
      return text === null ? [] : [{ code: 'calls_failing', text }]
    },
  })
}
