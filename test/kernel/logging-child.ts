/** Logs what no line should hold. */
import { cause, createLog } from '../../main/kernel/log.ts'

const log = createLog('info')
log.debug({ event: 'too.little' })
log.error({
  event: 'request.failed',
  instanceId: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60',
  attempt: 2,
  cause: cause(new Error('POST https://example.com/hook?token=abc from 12025550100 with Bearer swb_abcdefghijkl')),
})
