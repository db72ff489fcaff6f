import type { Notice } from '../../contract/notice.ts'
import { answerMedia, CATCHER_HOST, createCatcher, MEDIA_HOST } from '../../engines/sandbox/index.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { qrPicture } from '../instances/index.ts'
import { instancesRoom } from '../instances/room.ts'
import { defineRoom } from '../room.ts'
import { voiceRoom } from '../voice/room.ts'
import { webhooksRoom } from '../webhooks/room.ts'
import { sandboxContract } from './contract.ts'
import { sandboxExistence, sandboxHandlers } from './handlers.ts'
import { createSandbox, type SandboxDeps } from './index.ts'

interface Deps extends Pick<SandboxDeps, 'graph' | 'model' | 'cursors'> {
  readonly db: Db
  readonly clock: Clock
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
  readonly outbound: Pick<Outbound, 'addResponder'>
  readonly sandboxNetwork: SandboxDeps['network']
  /** Opens the port of the sandbox model. */
  readonly listenModel: () => Promise<void>
}

export const sandboxRoom = defineRoom({
  name: 'sandbox',
  contract: sandboxContract,
  uses: { instances: instancesRoom, voice: voiceRoom, webhooks: webhooksRoom },
  build({ sandboxNetwork: network, listenModel, ...deps }: Deps, { instances, voice, webhooks }) {
    const { live, model, outbound } = deps
    const catcher = createCatcher({ ...deps, signingSecrets: webhooks.signingSecrets })
    outbound.addResponder(CATCHER_HOST, async (request) => {
      const answer = await catcher.answer(request)
      live.publish(request.accountId, { topic: 'sandbox' })
      return answer
    })
    outbound.addResponder(MEDIA_HOST, (request) => answerMedia(request, network.picture))
    const sandbox = createSandbox({
      ...{ ...deps, network, catcher, render: qrPicture, subject: instances.subject },
      ...{ ring: voice.ringFromPhone, phoneSide: voice.phoneSide },
    })
    return {
      handlers: sandboxHandlers(sandbox),
      existence: sandboxExistence(sandbox),
      // Resumed work may call the model immediately.
      recover: listenModel,
      close: model.close,
      api: sandbox,
    }
  },
})
