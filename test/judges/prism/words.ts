/**
 * Rules of requests that the document says in words, because in JSON Schema they would cost every caller of a generated
 * client a union, and every refusal its sentence. The fuzzer holds the product to them as to the schemas.
 */
const EXACTLY_ONE: Readonly<Record<string, readonly string[]>> = {
  sendMessage: ['text', 'media_url', 'cloud_api'],
  speakFromSandboxPhone: ['text', 'media_type'],
  scanSandboxCode: ['qr', 'pairing_code'],
}
/** A field, and the one it may only be sent with. */
const ONLY_WITH: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sendMessage: { media_type: 'media_url', media_url: 'media_type', caption: 'media_url', filename: 'media_url' },
  speakFromSandboxPhone: { media_url: 'media_type', caption: 'media_type', filename: 'media_type' },
}
const SAMPLES: Readonly<Record<string, string>> = {
  image: 'https://media.sandbox/image.png',
  audio: 'https://media.sandbox/audio.ogg',
  video: 'https://media.sandbox/video.mp4',
  document: 'https://media.sandbox/document.pdf',
}

export type Body = Readonly<Record<string, unknown>>

/** `open`: it depends on what is there (the file behind an address, the code on a screen), so both answers are right. */
export type Wording = 'allowed' | 'forbidden' | 'open'

/** Whether a request that its schemas allow is allowed by the words as well. */
export function wording(operationId: string, query: Body, body: unknown): Wording {
  if (operationId === 'listInstances' && query['updated_since'] === undefined && Number(query['limit'] ?? 1) > 200)
    return 'forbidden'
  // Prism takes `?limit=` for no limit; for the product it is a limit that is no number.
  if (Object.values(query).includes('')) return 'open'
  if (typeof body !== 'object' || body === null) return 'allowed'
  const sent = body as Body
  const one = EXACTLY_ONE[operationId]
  if (one !== undefined && one.filter((field) => field in sent).length !== 1) return 'forbidden'
  const together = Object.entries(ONLY_WITH[operationId] ?? {})
  if (together.some(([field, other]) => field in sent && !(other in sent))) return 'forbidden'
  const events = sent['events']
  if (Array.isArray(events) && events.includes('*') && events.length > 1) return 'forbidden'
  // A code that is on some screen, and a payload as the Cloud API wants it: beyond schemas.
  if (operationId === 'scanSandboxCode' || 'cloud_api' in sent) return 'open'
  return 'media_url' in sent && sent['media_url'] !== SAMPLES[String(sent['media_type'])] ? 'open' : 'allowed'
}

/** A generated body without what the words forbid: of several choices the first stays. */
export function byTheWords(operationId: string, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const left: Record<string, unknown> = { ...body }
  const choices = (EXACTLY_ONE[operationId] ?? []).filter((field) => field in left)
  const drop = (fields: readonly string[]) => fields.forEach((field) => Reflect.deleteProperty(left, field))
  drop(choices.slice(1))
  if (operationId === 'sendMessage' && choices[0] === 'media_url') left['media_type'] ??= 'image'
  if ('media_url' in left) left['media_url'] = SAMPLES[String(left['media_type'])] ?? left['media_url']
  for (const [field, other] of Object.entries(ONLY_WITH[operationId] ?? {})) {
    if (field in left && !(other in left)) drop([field])
  }
  if (Array.isArray(left['events']) && left['events'].includes('*')) left['events'] = ['*']
  return left
}
