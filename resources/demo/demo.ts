import { createHmac, randomUUID } from 'node:crypto'
import { createApiClient, type ApiAnswer, type ApiClient } from './client.ts'
import { drawQr, readQrPicture } from './qr-picture.ts'
import { createDemoReport, DemoFailure, print, type DemoReport } from './report.ts'
import { startServiceProcess, type ServiceProcess } from './service-process.ts'

const OURS = '12025550100'
const CUSTOMER = '12025550101'
const OFFICIAL = '12025550200'
const CATCHER = 'https://catcher.sandbox/demo'

interface Caught {
  headers: Record<string, string>
  body: string
  signature: string
}

/**
 * Runs the main use case on the sandbox network and prints each step.
 * @param entry the built headless entry.
 * @returns the exit code: 0 if every step succeeded.
 */
export async function runDemo(entry: string): Promise<0 | 1> {
  const story = createDemoReport()
  const startedMs = performance.now()
  print('\n Switchboard: the main job, end to end, on the sandbox network')
  const interruption = listenForInterruption()
  let service: ServiceProcess | undefined
  try {
    await Promise.race([
      interruption.happened,
      story
        .step('The service starts', async () => {
          service = await startServiceProcess(entry, settingsOfDemo())
          story.expect(true, `it answers at ${service.url}; its home folder is a temporary one, removed at the end`)
          return service
        })
        .then((running) => runSteps(story, running)),
    ])
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
    print(`\n All ${story.steps} steps held, in ${seconds} s. Next: npm run serve, and the README's “Pair a number”.\n`)
    return 0
  } catch (error) {
    const hasFailed = (await service?.stop()) === 'had failed'
    // Ctrl+C also reaches the service, so its missing answer may be noticed first.
    const fault = interruption.reason() ?? (hasFailed ? new DemoFailure('the service ended under it') : error)
    printFailure(story, fault)
    const said = service?.said().trim()
    if (said) process.stderr.write(`What the service said:\n${said}\n`)
    return 1
  } finally {
    await service?.stop()
  }
}

function printFailure(story: DemoReport, fault: unknown): void {
  print(`     ✗ ${fault instanceof Error ? fault.message : String(fault)}`)
  print(`\n Step ${story.steps} did not hold.\n`)
  if (fault instanceof Error && !(fault instanceof DemoFailure)) process.stderr.write(`${fault.stack}\n`)
}

/** The demo uses default settings, not those of this machine. */
function settingsOfDemo(): NodeJS.ProcessEnv {
  const foreign = Object.entries(process.env).filter(([name]) => !name.startsWith('SWITCHBOARD_'))
  return { ...Object.fromEntries(foreign), SWITCHBOARD_VAULT: 'file', SWITCHBOARD_LOG_LEVEL: 'warn' }
}

/** Handles Ctrl+C like a failed step, so that the service is stopped and its home removed. */
function listenForInterruption(): { happened: Promise<never>; reason(): DemoFailure | undefined } {
  let reason: DemoFailure | undefined
  const happened = new Promise<never>((_resolve, reject) => {
    const stop = () => reject((reason ??= new DemoFailure('it was interrupted')))
    process.on('SIGINT', stop).on('SIGTERM', stop)
  })
  return { happened, reason: () => reason }
}

async function runSteps(story: DemoReport, service: ServiceProcess): Promise<void> {
  const { api, account } = await story.step('An account and a key', () => makeKey(story, service))
  const secret = await story.step('A webhook that wants every event', () => makeWebhook(story, api))
  const desk = await story.step('A number to pair: its QR code', () => makeInstance(story, api))
  await story.step('A phone scans it', () => scan(story, api, desk))
  const send = await story.step('A message goes out', () => sendMessage(story, api, desk.id))
  await story.step('The customer answers', () => answerAsCustomer(story, api))
  await story.step('The same send once more, by mistake', () => repeatSend(story, api, desk.id, send))
  const official = await story.step('A second number, on the official engine', () => sendOfficially(story, api))
  await story.step('What the webhook received', () =>
    checkEvents(story, api, { secret, account, desk: desk.id, official }),
  )
}

async function makeKey(story: DemoReport, service: ServiceProcess) {
  const { key } = await service.command('keys', 'create', '--name', 'Demo')
  const api = createApiClient(service.url, String(key))
  const me = await api.get('/v1/me')
  const account = me.body['account'] as { id: string; name: string }
  story.expect(
    me.status === 200,
    `GET /v1/me answers for “${account.name}” with a key ending …${String(key).slice(-4)}`,
  )
  return { api, account: account.id }
}

async function makeWebhook(story: DemoReport, api: ApiClient): Promise<string> {
  const made = await api.post('/v1/webhooks', { url: CATCHER, events: ['*'], description: 'The demo’s catcher' })
  story.expect(
    made.status === 201 && String(made.body['secret']).startsWith('whsec_'),
    `${CATCHER} is subscribed; its secret is shown this once`,
  )
  return String(made.body['secret'])
}

async function makeInstance(story: DemoReport, api: ApiClient): Promise<{ id: string; qr: string }> {
  const made = await api.post('/v1/instances', {
    name: 'Front desk',
    external_ref: 'demo-1',
    metadata: { client: 'Bakery Luz' },
  })
  const id = String(made.body['id'])
  story.expect(made.status === 201, `instance “Front desk” (smv2) is created`)
  const view = await story.until('a QR code appears', async () => {
    const answer = await api.get(`/v1/instances/${id}/qr`)
    return answer.body['state'] === 'ready' ? answer.body : undefined
  })
  const qr = readQrPicture(String(view['qr']))
  if (qr === undefined) throw new DemoFailure('the QR picture can be read by an independent decoder')
  for (const line of await drawQr(qr)) story.draw(line)
  story.say(`or type ${String(view['pairing_code'])} into the phone`)
  return { id, qr }
}

async function scan(story: DemoReport, api: ApiClient, desk: { id: string; qr: string }): Promise<void> {
  await api.post('/v1/sandbox/phones', { number: OURS, name: 'Bakery Luz' })
  await api.post(`/v1/sandbox/phones/${OURS}/scan`, { qr: desk.qr })
  const view = await story.until('the instance connects', async () => {
    const answer = await api.get(`/v1/instances/${desk.id}/connection`)
    return answer.body['connected'] === true ? answer.body : undefined
  })
  story.expect(view['number'] === OURS, `connected as ${String(view['name'])}, ${String(view['number'])}`)
}

const ORDER = { to: CUSTOMER, text: 'Good morning! Your order is ready. ☕' }

async function sendMessage(
  story: DemoReport,
  api: ApiClient,
  instance: string,
): Promise<{ key: string; first: ApiAnswer }> {
  const key = randomUUID()
  const first = await api.post(`/v1/instances/${instance}/messages`, ORDER, { 'idempotency-key': key })
  const id = String(first.body['message_id'])
  story.expect(first.status === 201 && first.body['sent'] === true, `“${ORDER.text}” is accepted as ${id}`)
  const record = await readRecord(story, api, instance, id)
  const history = record['history'] as { status: string; at: string }[]
  const startedAtMs = Date.parse(history[0]?.at ?? '')
  story.say(history.map(({ status, at }) => `${status} (+${Date.parse(at) - startedAtMs} ms)`).join(' → '))
  story.expect(
    history.map(({ status }) => status).join() === 'queued,sent,delivered,read',
    'it walked queued → sent → delivered → read',
  )
  return { key, first }
}

function readRecord(
  story: DemoReport,
  api: ApiClient,
  instance: string,
  message: string,
): Promise<Record<string, unknown>> {
  return story.until('the message is read', async () => {
    const { body } = await api.get(`/v1/instances/${instance}/messages/${message}`)
    return body['status'] === 'read' ? body : undefined
  })
}

async function answerAsCustomer(story: DemoReport, api: ApiClient): Promise<void> {
  const spoken = await api.post(`/v1/sandbox/phones/${CUSTOMER}/messages`, { to: OURS, text: 'Thank you, on my way!' })
  story.expect(spoken.status < 300, `${CUSTOMER} says “Thank you, on my way!”`)
  const event = await story.until('message.received arrives at the webhook', async () =>
    (await caught(api)).map(envelope).find(({ type }) => type === 'message.received'),
  )
  story.expect(
    event.data['text'] === 'Thank you, on my way!' && event.data['from'] === CUSTOMER,
    'message.received came to the webhook',
  )
}

async function repeatSend(
  story: DemoReport,
  api: ApiClient,
  instance: string,
  { key, first }: { key: string; first: ApiAnswer },
): Promise<void> {
  const again = await api.post(`/v1/instances/${instance}/messages`, ORDER, { 'idempotency-key': key })
  story.expect(
    again.headers.get('idempotent-replayed') === 'true' && again.body['message_id'] === first.body['message_id'],
    'the first answer is replayed (Idempotent-Replayed: true)',
  )
  const { body } = await api.get(`/v1/sandbox/phones/${CUSTOMER}/messages`)
  story.expect((body['data'] as unknown[]).length === 1, 'the customer’s phone holds the message once')
}

async function sendOfficially(story: DemoReport, api: ApiClient): Promise<string> {
  const made = await api.post('/v1/instances', { name: 'Main line', engine: 'official' })
  const id = String(made.body['id'])
  story.expect(made.status === 201 && typeof made.body['onboarding_url'] === 'string', 'created with an onboarding_url')
  await api.post(`/v1/sandbox/instances/${id}/onboard`, { number: OFFICIAL })
  await story.until('the official instance connects', async () =>
    (await api.get(`/v1/instances/${id}/connection`)).body['connected'] === true ? true : undefined,
  )
  // The official engine sends free text only to people who wrote in the last 24 hours.
  await api.post(`/v1/sandbox/phones/${CUSTOMER}/messages`, { to: OFFICIAL, text: 'May I have the invoice?' })
  const sent = await api.post(`/v1/instances/${id}/messages`, { to: CUSTOMER, text: 'Your invoice is ready.' })
  await readRecord(story, api, id, String(sent.body['message_id']))
  story.expect(sent.body['engine'] === 'official', `${OFFICIAL} sent too, and was read`)
  return id
}

const LIFE_OF_A_MESSAGE = ['message.sent', 'message.delivered', 'message.read']
const DESK = [
  'instance.created',
  'instance.connecting',
  'instance.qr.updated',
  'instance.connected',
  ...LIFE_OF_A_MESSAGE,
  'message.received',
]
const MAIN_LINE = ['instance.created', 'instance.connected', 'message.received', ...LIFE_OF_A_MESSAGE]

async function checkEvents(
  story: DemoReport,
  api: ApiClient,
  expected: { secret: string; account: string; desk: string; official: string },
): Promise<void> {
  const missing = (events: ReturnType<typeof envelope>[], instance: string, types: string[]) =>
    types.filter((type) => !events.some((event) => event.type === type && event.instance.id === instance))
  const requests = await story.until('every event arrives', async () => {
    const found = await caught(api)
    const events = found.map(envelope)
    return missing(events, expected.desk, DESK).length + missing(events, expected.official, MAIN_LINE).length === 0
      ? found
      : undefined
  })
  for (const request of requests.toReversed()) {
    const { type, attempt, event_id: id } = envelope(request)
    story.say(
      `${type.padEnd(22)} attempt ${attempt}  ${id}  signature ${isSigned(request, expected.secret) ? 'verified' : 'WRONG'}`,
    )
  }
  story.expect(
    requests.every((request) => request.signature === 'valid' && isSigned(request, expected.secret)),
    `${requests.length} events, every signature verified over the exact bytes`,
  )
  story.expect(
    requests.map(envelope).every((event) => event.account_id === expected.account),
    'all of them of this account, in one envelope for both engines',
  )
}

async function caught(api: ApiClient): Promise<Caught[]> {
  return (await api.get('/v1/sandbox/catcher/demo?limit=200')).body['data'] as Caught[]
}

interface Envelope {
  event_id: string
  type: string
  attempt: number
  account_id: string
  instance: { id: string }
  data: Record<string, unknown>
}

const envelope = ({ body }: Caught) => JSON.parse(body) as Envelope

/** Verifies a signature like a receiver (README, “Receive events”): HMAC over timestamp, a dot and the exact body. */
function isSigned({ headers, body }: Caught, secret: string): boolean {
  const digest = createHmac('sha256', secret)
    .update(`${headers['x-service-timestamp'] ?? ''}.${body}`)
    .digest('hex')
  return headers['x-service-signature'] === `sha256=${digest}`
}
