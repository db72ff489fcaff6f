import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import type { Template, Templates } from '../../../main/engines/templates.ts'
import { sampleOf } from '../../../main/engines/sandbox/media.ts'
import { contentOf } from '../../../main/kernel/file-content.ts'
import { graphWorld, type Credentials, type GraphWorld } from './graph-world.ts'

const BODY = { type: 'BODY', text: 'Everything for the garden.' }
const { bytes: PNG } = sampleOf('image')

let world: GraphWorld
let credentials: Credentials
let instance: EngineInstance
let templates: Templates
beforeEach(async () => {
  world = await graphWorld()
  credentials = await world.number('12025550200')
  instance = await world.connect(credentials)
  templates = world.official.engine.templates as Templates
})
afterEach(() => world.close())

const header = (handle: string) => ({ type: 'HEADER', format: 'IMAGE', example: { header_handle: [handle] } })
const draft = (name: string, handle: string) => ({
  ...{ name, language: 'en', category: 'MARKETING', components: [header(handle), BODY] },
})
const upload = () => templates.uploadSample(instance, { mimeType: 'image/png', content: contentOf(PNG) })
const read = async (id: string) => (await templates.read(instance, id)) as Template
/** What Meta shows as the sample of the header. */
const addressOf = ({ components }: Template) =>
  (components[0] as ReturnType<typeof header>).example.header_handle[0] as string
const fileAt = async (address: string) => {
  const answer = await fetch(address, { headers: { authorization: `Bearer ${credentials.accessToken}` } })
  return Buffer.from(await answer.arrayBuffer())
}
const refusalOf = (act: Promise<unknown>) =>
  act.then(
    () => 'done',
    (error: unknown) => (error as Error).message,
  )

describe('the sample of a header', () => {
  test('is uploaded completely, and Meta returns its URL', async () => {
    const handle = await upload()
    expect(handle).toMatch(/^4::/)
    const { id } = await templates.create(instance, draft('garden', handle))
    expect(await fileAt(addressOf(await read(id)))).toEqual(PNG)
  })

  test('is uploaded completely over a connection that breaks three times', async () => {
    world.graph.cause(credentials.phoneNumberId, 'upload_interrupted', 3)
    const { id } = await templates.create(instance, draft('garden', await upload()))
    expect(await fileAt(addressOf(await read(id)))).toEqual(PNG)
  })

  test('is given up after the fourth break', async () => {
    world.graph.cause(credentials.phoneNumberId, 'upload_interrupted', 4)
    expect(await refusalOf(upload())).toContain('Meta did not answer')
  })

  test('that is not a picture is refused with Meta’s message', async () => {
    const { bytes } = sampleOf('video')
    const asked = templates.uploadSample(instance, { mimeType: 'image/png', content: contentOf(bytes) })
    expect(await refusalOf(asked)).toContain('The file is video/mp4, not image/png')
  })

  test('of a type that cannot be uploaded is refused with Meta’s message', async () => {
    const asked = templates.uploadSample(instance, { mimeType: 'image/gif', content: contentOf(PNG) })
    expect(await refusalOf(asked)).toContain('file_type')
  })

  test('is uploaded again when a template is edited or copied', async () => {
    const { id } = await templates.create(instance, draft('garden', await upload()))
    const before = await read(id)
    const copy = await templates.create(instance, { ...before, name: 'garden_copy' })
    expect(await fileAt(addressOf(await read(copy.id)))).toEqual(PNG)
    const sample = (await templates.list(instance, { limit: 10, after: null })).templates.find(
      ({ name }) => name === 'spring_offer',
    ) as Template
    const ours = await templates.create(instance, { ...sample, name: 'our_offer' })
    expect(await fileAt(addressOf(await read(ours.id)))).toEqual(PNG)
  })

  test('has to be given again if Meta no longer has it', async () => {
    const gone = draft('garden', `${world.graph.url()}/media/1?ext=1&hash=a`)
    expect(await refusalOf(templates.create(instance, gone))).toContain('Give the file again')
  })

  test('requires a handle of an existing upload', async () => {
    expect(await refusalOf(templates.create(instance, draft('garden', '4::aW')))).toContain('handle is invalid')
  })
})

describe('the upload host', () => {
  const ask = (path: string, headers: Record<string, string>, body?: Buffer) =>
    fetch(`${world.graph.url()}/v26.0/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers,
      ...(body && { body: new Uint8Array(body) }),
    }).then(async (answer) => [answer.status, await answer.json()])
  async function session(): Promise<string> {
    const query = `file_name=a.png&file_length=${PNG.length}&file_type=image%2Fpng`
    const headers = { authorization: `Bearer ${credentials.accessToken}` }
    const answer = await fetch(`${world.graph.url()}/v26.0/app/uploads?${query}`, { method: 'POST', headers })
    return ((await answer.json()) as { id: string }).id
  }
  const oauth = (more = {}) => ({ authorization: `OAuth ${credentials.accessToken}`, ...more })

  test('reports how much has arrived, and continues from there', async () => {
    const id = await session()
    const half = Math.floor(PNG.length / 2)
    const partial = await ask(id, oauth({ file_offset: '0' }), PNG.subarray(0, half))
    expect(partial).toMatchObject([400, { debug_info: { type: 'PartialRequestError', retriable: false } }])
    expect(await ask(id, oauth())).toMatchObject([200, { file_offset: half }])
    const wrong = await ask(id, oauth({ file_offset: '0' }), PNG)
    expect(wrong).toMatchObject([400, { debug_info: { type: 'OffsetInvalidError' } }])
    expect(await ask(id, oauth({ file_offset: String(half) }), PNG.subarray(half))).toMatchObject([
      200,
      { h: expect.stringMatching(/^4::/) },
    ])
  })

  test('requires the token as OAuth', async () => {
    const bearer = { authorization: `Bearer ${credentials.accessToken}`, file_offset: '0' }
    expect(await ask(await session(), bearer, PNG)).toMatchObject([400, { debug_info: { type: 'NotAuthorizedError' } }])
  })
})

test('named placeholders are declared by their names', async () => {
  const body = {
    ...{ type: 'BODY', text: 'Hello {{first_name}}, your table is ready.' },
    example: { body_text_named_params: [{ param_name: 'first_name', example: 'Ana' }] },
  }
  const { id } = await templates.create(instance, {
    ...{ name: 'named', language: 'en', category: 'UTILITY', components: [body] },
  })
  expect(await read(id)).toMatchObject({ components: [body] })
})
