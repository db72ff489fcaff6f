import { systemClock } from '../kernel/clock.ts'
import { systemResolve } from '../outbound/outbound.ts'
import { createVoiceHost } from './host.ts'
import { createVoiceNetwork } from './network.ts'
import type { FromVoice, ToVoice } from './protocol.ts'
import { warmUpRecorder } from './recorder.ts'
import { createBuiltInVoice } from './speech/built-in.ts'

/** The voice process. service/voice.ts starts it, with Node or as a utility process of Electron. */

/** The channel between an Electron utility process and its parent. */
interface ParentPort {
  on(event: 'message', listener: (event: { data: ToVoice }) => void): void
  postMessage(message: FromVoice): void
}

const { parentPort } = process as { parentPort?: ParentPort }

const send = (message: FromVoice): void => {
  if (parentPort) parentPort.postMessage(message)
  else if (process.connected) process.send?.(message)
}

// Folder of flite-thread.ts.
const builtIn = createBuiltInVoice({ clock: systemClock, program: process.argv[2] ?? '' })
const network = createVoiceNetwork({ clock: systemClock, resolve: systemResolve })
const host = createVoiceHost({ clock: systemClock, send, builtIn, network })

/** Less time than a new service needs before it reads this one's recordings. */
const LEAVE_MS = 500
const FLUSH_MS = 50

async function stop(): Promise<void> {
  await host.stop()
  process.exit(0)
}

let isLeaving = false

/**
 * Handles an uncaught error. What it belongs to ends; if that is unknown, the process ends and the service restarts
 * it.
 */
function failed(error: unknown): void {
  if (isLeaving || host.failed(error)) return
  isLeaving = true
  systemClock.after(LEAVE_MS, () => process.exit(1))
  void host.stop('app_crashed').then(
    // The last messages must still be delivered.
    () => systemClock.after(FLUSH_MS, () => process.exit(1)),
    () => {},
  )
}

process.on('uncaughtException', failed)
process.on('unhandledRejection', failed)

const receive = (message: ToVoice): void => {
  if (message.kind === 'stop') void stop()
  else host.receive(message)
}

if (parentPort) parentPort.on('message', ({ data }) => receive(data))
else {
  process.on('message', (message) => receive(message as ToVoice))
  // The service has ended: calls are hung up, and recordings are completed at its next start.
  process.on('disconnect', () => {
    systemClock.after(LEAVE_MS, () => process.exit(0))
    void stop()
  })
}
// Service managers send signals to all processes, but only the service must react; it ends its child processes.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
// Before the first call is answered. A failure here would be reported by the first recording.
void warmUpRecorder().catch(() => {})
send({ kind: 'ready' })
