import { systemClock } from '../kernel/clock.ts'
import { systemResolve } from '../outbound/outbound.ts'
import { createVoiceHost } from './host.ts'
import { createVoiceNetwork } from './network.ts'
import type { FromVoice, ToVoice } from './protocol.ts'
import { warmUpRecorder } from './recorder.ts'
import { createBuiltInVoice } from './speech/built-in.ts'

/** The voice process. service/voice.ts starts it, with Node or as a utility process of Electron. */

/** How Electron's utility processes talk to the one that started them. */
interface ParentPort {
  on(event: 'message', listener: (event: { data: ToVoice }) => void): void
  postMessage(message: FromVoice): void
}

const { parentPort } = process as { parentPort?: ParentPort }

const send = (message: FromVoice): void => {
  if (parentPort) parentPort.postMessage(message)
  else if (process.connected) process.send?.(message)
}

// Where flite-thread.ts lies.
const builtIn = createBuiltInVoice({ clock: systemClock, program: process.argv[2] ?? '' })
const network = createVoiceNetwork({ clock: systemClock, resolve: systemResolve })
const host = createVoiceHost({ clock: systemClock, send, builtIn, network })

/** Less than a new service needs to look at the recordings of this one. */
const LEAVE_MS = 500
const FLUSH_MS = 50

async function stop(): Promise<void> {
  await host.stop()
  process.exit(0)
}

let isLeaving = false

/** Nobody else catches it. What it belongs to ends; if that is not known, everything does, and the service starts anew. */
function failed(error: unknown): void {
  if (isLeaving || host.failed(error)) return
  isLeaving = true
  systemClock.after(LEAVE_MS, () => process.exit(1))
  void host.stop('app_crashed').then(
    // What was sent last has to arrive.
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
  // The service is gone: nobody is left on a dead line, and recordings are completed at its next start.
  process.on('disconnect', () => {
    systemClock.after(LEAVE_MS, () => process.exit(0))
    void stop()
  })
}
// They are for the service, which ends what it has started. Service managers send them to all of its processes.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
// Before the first call is answered. What does not work here, the first recording reports.
void warmUpRecorder().catch(() => {})
send({ kind: 'ready' })
