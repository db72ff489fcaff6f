import type { FastifyInstance } from 'fastify'
import type { VoicePages } from '../../capabilities/voice/index.ts'
import { ApiError } from '../../contract/errors.ts'
import { sendFile } from '../file-reply.ts'

interface OfRecording {
  Params: { id: string }
  Querystring: { exp?: unknown; sig?: unknown }
}

/** Recordings by their signed URLs. They need no API key: players follow the redirect of the download without one. */
export function addRecordingRoute(app: FastifyInstance, { recording }: Pick<VoicePages, 'recording'>): void {
  app.get<OfRecording>('/files/rec/:id', { config: { open: true } }, async (request, reply) => {
    const { id } = request.params
    const { exp, sig } = request.query
    const file = typeof exp === 'string' && typeof sig === 'string' ? await recording(id, exp, sig) : undefined
    if (file === undefined) {
      throw new ApiError(
        'not_found',
        'This address is not valid, or is older than five minutes. Request the download again to get a new one.',
      )
    }
    return sendFile(request, reply, file, {
      'content-type': 'audio/ogg',
      'content-disposition': `attachment; filename="${id}.ogg"`,
      'cache-control': 'private, max-age=300',
    })
  })
}
