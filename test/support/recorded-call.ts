import { until, type Api } from './service-process.ts'

interface RecordedCall {
  /** Of a call with an agent. */
  readonly recording: string
  /** A call that nobody took. */
  readonly missed: string
  /** A call that is to come. */
  readonly planned: string
  /** For a web page. */
  readonly widget: string
}

/**
 * Lets an agent call two simulated people: one who answers, so that there is a recording, and one who is busy. More
 * calls are to come: one, and a batch. A web page has a widget of the instance.
 */
export async function recordedCall(api: Api, instance: string, agent?: string): Promise<RecordedCall> {
  const at = `/v1/instances/${instance}`
  const agentId = agent ?? (await api('POST', `${at}/ai/agents`, { name: 'Reception', provider: 'builtin' })).body.id
  await api('POST', `${at}/voice/enable`)
  await api('PATCH', `${at}/voice/settings`, { coach_enabled: true })
  const call = async (to_number: string): Promise<string> =>
    (await api('POST', `${at}/voice/calls`, { to_number, agent_id: agentId })).body.id
  const [answered, missed] = [await call('12025550123'), await call('12025550486')]
  const read = async (id: string) => (await api('GET', `${at}/voice/calls/${id}`)).body
  // The voices are made faster than they speak, which a busy machine does not manage.
  const { recording_id: recording } = await until(
    'a recording',
    async () => {
      const [made, busy] = [await read(answered), await read(missed)]
      return made.recording_id !== null && made.summary !== null && busy.ended_at !== null ? made : undefined
    },
    150_000,
  )
  const tomorrow = { agent_id: agentId, scheduled_at: new Date(Date.now() + 86_400_000).toISOString() }
  const planned = (await api('POST', `${at}/voice/calls`, { to_number: '12025550123', ...tomorrow })).body.id
  await api('POST', `${at}/voice/calls/batch`, { numbers: ['12025550124', '12025550125'], ...tomorrow })
  const page = { name: 'Website', allowed_origins: ['https://www.example.com'], video_enabled: true }
  const widget = (await api('POST', `${at}/voice/widgets`, page)).body.id
  return { recording, missed, planned, widget }
}
