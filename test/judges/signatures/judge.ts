import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newSecret } from '../../../main/capabilities/webhooks/secret.ts'
import { signature, standardSignature } from '../../../main/capabilities/webhooks/signature.ts'
import { Secret } from '../../../main/kernel/secret.ts'
import { receiverAuthority, startReceiver, type Receiver } from '../../support/receiver.ts'
import { testHome, until, type Api } from '../../support/service-process.ts'
import { Objection, type Court, type Judge } from '../court.ts'
import { octokit, openSsl, standardWebhooks, type StandardVerifier, type Verifier } from './verifiers.ts'

/** What changes its bytes when somebody decodes, normalises or escapes it on the way. */
const TEXTS = [
  'Grüße, 世界 👋',
  '👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇧🇷',
  'שלום, עולם \u202Eabc\u202C مرحبا',
  'e\u0301 is not é, and Z\u0351\u036B\u0343a\u0324l\u030Dgo is neither',
  'line\u2028separator, paragraph\u2029separator, next\u0085line',
  'zero\u200Bwidth, \uFEFF a mark in the middle, \u00A0 no break',
  '</script> & <b> "quoted" \\ \\u0041 \t \r\n /',
  '𝕄𝕒𝕥𝕙 and 漢字 and हिन्दी and ไทย',
]
const DELIVERIES = 30
const SECRETS = 2_000
const LINE = '12025550100'
const PHONE = '12025550177'

type Sent = Receiver['received'][number]

/** One delivery, and the secrets it must be signed with. */
interface Expected {
  readonly sent: Sent
  readonly current: string
  readonly previous: string | null
  /** Those it must not be signed with. */
  readonly others: readonly string[]
}

/**
 * Deliveries as they really arrive over HTTPS, before a rotation, in its overlap and after it, first attempts and
 * repeated ones; each is checked by three who share no code with us, or with each other. And secrets, of which one in
 * four had an alphabet that libraries take.
 */
export const judge: Judge = {
  about: 'signatures of real deliveries, by OpenSSL and two independent webhook libraries',
  async judge({ dir }: Court) {
    const verifiers = [openSsl(dir), await octokit()]
    const isStandard = await standardWebhooks()
    checkSecrets(isStandard)
    await checkSecretsAsKey(verifiers)
    const expected = await deliveries(dir)
    if (expected.length < DELIVERIES) throw new Objection(`There were only ${expected.length} deliveries.`)
    for (const text of TEXTS) {
      if (!expected.some(({ sent }) => textOf(sent) === text)) throw new Objection(`No delivery carried ${text}.`)
    }
    let refused = 0
    for (const one of expected) {
      for (const verifier of verifiers) refused += await check(one, verifier)
      refused += checkStandard(one, isStandard)
    }
    const inOverlap = expected.filter(({ previous }) => previous !== null).length
    const repeated = expected.filter(({ sent }) => sent.headers['x-service-attempt'] !== '1').length
    if (inOverlap === 0 || repeated === 0)
      throw new Objection(`${inOverlap} deliveries were in an overlap, ${repeated} were repeated.`)
    return `${expected.length} deliveries, ${inOverlap} of them in an overlap and ${repeated} repeated; ${refused} forgeries refused; ${SECRETS} secrets taken`
  },
}

const random = { bytes: randomBytes }
const SAMPLE = Buffer.from(JSON.stringify(TEXTS))

/** Requests signed with new secrets, and with those of earlier versions as the documentation says to give them. */
function checkSecrets(isStandard: StandardVerifier): void {
  for (let n = 0; n < SECRETS; n++) {
    const current = newSecret(random)
    const earlier = new Secret(`whsec_${randomBytes(32).toString('base64url')}`)
    for (const [secret, given] of [
      [current, current.open()],
      [earlier, `whsec_${earlier.open().slice('whsec_'.length).replaceAll('-', '+').replaceAll('_', '/')}`],
    ] as const) {
      const at = Math.floor(Date.now() / 1_000)
      const headers = {
        'webhook-id': `evt_${n}`,
        'webhook-timestamp': String(at),
        'webhook-signature': standardSignature(secret, `evt_${n}`, at, SAMPLE),
      }
      if (!isStandard(given, headers, SAMPLE)) throw new Objection(`standardwebhooks refuses with the secret ${given}.`)
      if (isStandard(newSecret(random).open(), headers, SAMPLE))
        throw new Objection(`standardwebhooks accepts with another secret than ${given}.`)
    }
  }
}

/** The signature of the specification still has the whole text as its key, whatever letters it is made of. */
async function checkSecretsAsKey(verifiers: readonly Verifier[]): Promise<void> {
  for (let n = 0; n < 20; n++) {
    const secret = newSecret(random)
    const message = Buffer.concat([Buffer.from('1772357400.'), SAMPLE])
    for (const { name, accepts } of verifiers)
      if (!(await accepts(secret.open(), message, signature(secret, 1_772_357_400, SAMPLE))))
        throw new Objection(`${name} refuses with the secret ${secret.open()}.`)
  }
}

/** @returns how many forgeries were refused. */
function checkStandard({ sent, current, previous, others }: Expected, isStandard: StandardVerifier): number {
  const headers = Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, String(sent.headers[name])]),
  )
  const of = `standardwebhooks, event ${String(headers['webhook-id'])}`
  for (const secret of [current, ...(previous === null ? [] : [previous])])
    if (!isStandard(secret, headers, sent.body)) throw new Objection(`${of}: refused.`)
  const forgeries: [string, Readonly<Record<string, string>>, Buffer][] = [
    [current, headers, withOneBitChanged(sent.body)],
    [current, { ...headers, 'webhook-id': 'evt_other' }, sent.body],
    [current, { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) }, sent.body],
    ...others.map((secret) => [secret, headers, sent.body] as [string, typeof headers, Buffer]),
  ]
  for (const forgery of forgeries) if (isStandard(...forgery)) throw new Objection(`${of}: accepted a forgery.`)
  return forgeries.length
}

/** A service of its own: only a setting of the home lets deliveries lead to this machine. */
async function deliveries(dir: string): Promise<Expected[]> {
  const authority = join(dir, 'authority.pem')
  writeFileSync(authority, receiverAuthority().cert)
  const receiver = await startReceiver({ name: '127.0.0.1', address: '127.0.0.1', script: everyFifthIsRefused() })
  const home = testHome()
  try {
    home.write({ egress: { trusted_ranges: ['127.0.0.1/32'] } })
    const service = await home.start({
      NODE_EXTRA_CA_CERTS: authority,
      SWITCHBOARD_SANDBOX_TIMELINE_MS: '0,0,0,0',
      SWITCHBOARD_RETRY_SCHEDULE_S: '0.2,0.2,0.2,0.2,0.2,0.2,0.2',
    })
    const { key } = await home.key('judge')
    const found = await throughTwoRotations(service.api(key), receiver)
    if (service.errors() !== '') throw new Objection(`The service wrote:\n${service.errors()}`)
    return found
  } finally {
    await home.remove()
    await receiver.close()
  }
}

/** So that repeated attempts come as well, whose bodies differ from the first. After a 503 they would be a minute late. */
const everyFifthIsRefused = () => (_request: Sent, nth: number) => (nth % 5 === 0 ? { status: 500 } : {})

async function throughTwoRotations(api: Api, receiver: Receiver): Promise<Expected[]> {
  const id = await connectedInstance(api)
  const url = `https://127.0.0.1:${receiver.port}/hook`
  const { body: webhook } = await must(api, 'POST', '/v1/webhooks', {
    url,
    events: ['message.received', 'instance.updated'],
  })
  const rotate = async (overlap_seconds: number) =>
    (await must(api, 'POST', `/v1/webhooks/${webhook.id}/rotate-secret`, { overlap_seconds })).body.secret as string
  const round = async () => {
    const before = receiver.received.length
    for (const text of TEXTS) await must(api, 'POST', `/v1/sandbox/phones/${PHONE}/messages`, { to: LINE, text })
    const metadata = Object.fromEntries(TEXTS.map((text, i) => [`${i} ${text.slice(0, 12)}`, text]))
    await must(api, 'PATCH', `/v1/instances/${id}`, { name: TEXTS[before % TEXTS.length], metadata })
    await must(api, 'PATCH', `/v1/instances/${id}`, { metadata: null })
    await until('all are delivered', async () => areDelivered(await api('GET', '/v1/webhooks/deliveries?limit=200')))
    return receiver.received.slice(before)
  }

  const [first, one] = [webhook.secret as string, await round()]
  const [second, two] = [await rotate(86_400), await round()]
  const [third, three] = [await rotate(0), await round()]
  return [
    ...one.map((sent) => ({ sent, current: first, previous: null, others: [second, third] })),
    ...two.map((sent) => ({ sent, current: second, previous: first, others: [third] })),
    ...three.map((sent) => ({ sent, current: third, previous: null, others: [first, second] })),
  ]
}

async function connectedInstance(api: Api): Promise<string> {
  const { body: made } = await must(api, 'POST', '/v1/instances', { name: 'Signed', external_ref: TEXTS[2] })
  const { body: view } = await must(api, 'GET', `/v1/instances/${made.id}/qr`)
  await must(api, 'POST', `/v1/sandbox/phones/${LINE}/scan`, { pairing_code: view.pairing_code })
  await until('the instance connects', async () => (await api('GET', `/v1/instances/${made.id}`)).body.connected)
  await must(api, 'POST', '/v1/sandbox/phones', { number: PHONE, name: TEXTS[0] })
  return made.id as string
}

async function must(api: Api, method: string, path: string, body?: unknown) {
  const answer = await api(method, path, body)
  if (answer.status >= 300)
    throw new Objection(`${method} ${path} answers ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer
}

const areDelivered = ({ body }: { body: { data: { status: string }[] } }) =>
  body.data.every(({ status }) => status === 'delivered')

const textOf = ({ body }: Sent) => (JSON.parse(body.toString('utf8')) as { data: { text?: string } }).data.text

/** @returns how many forgeries were refused. */
async function check({ sent, current, previous, others }: Expected, verifier: Verifier): Promise<number> {
  const { headers, body } = sent
  const header = (name: string) => String(headers[`x-service-${name}`])
  const [timestamp, signature, signaturePrevious] = [
    header('timestamp'),
    header('signature'),
    headers['x-service-signature-previous'],
  ]
  const of = `${verifier.name}, event ${header('event-id')}, attempt ${header('attempt')}`
  const message = (at: string, bytes: Buffer) => Buffer.concat([Buffer.from(`${at}.`), bytes])
  const genuine = message(timestamp, body)

  if (!(await verifier.accepts(current, genuine, signature))) throw new Objection(`${of}: refused.`)
  if ((previous === null) !== (signaturePrevious === undefined))
    throw new Objection(`${of}: X-Service-Signature-Previous is ${String(signaturePrevious)}.`)
  if (previous !== null && !(await verifier.accepts(previous, genuine, String(signaturePrevious))))
    throw new Objection(`${of}: the previous signature is refused.`)

  const forgeries: Record<string, [secret: string, message: Buffer, signature: string]> = {
    'with one bit of the body changed': [current, message(timestamp, withOneBitChanged(body)), signature],
    'with another time': [current, message(String(Number(timestamp) + 1), body), signature],
    'without its time': [current, body, signature],
    'with one digit of the signature changed': [current, genuine, withLastDigitChanged(signature)],
    ...Object.fromEntries(
      others.map((secret, i) => [`checked with a secret of another time, ${i}`, [secret, genuine, signature]]),
    ),
    ...(previous !== null && { 'checked with the previous secret': [previous, genuine, signature] }),
  }
  for (const [how, forgery] of Object.entries(forgeries)) {
    if (await verifier.accepts(...forgery)) throw new Objection(`${of}: accepted ${how}.`)
  }
  return Object.keys(forgeries).length
}

/** The one that makes another letter of a letter: the text stays text, so that it reaches the comparison. */
function withOneBitChanged(body: Buffer): Buffer {
  const at = body.lastIndexOf('"data"') + 1
  return Buffer.concat([body.subarray(0, at), Buffer.from([body.readUInt8(at) ^ 1]), body.subarray(at + 1)])
}

const withLastDigitChanged = (signature: string) => signature.slice(0, -1) + (signature.endsWith('0') ? '1' : '0')
