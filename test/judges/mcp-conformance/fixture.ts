import { setTimeout as sleep } from 'node:timers/promises'
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type CallToolResult,
  type ClientCapabilities,
  type GetPromptResult,
  type InputRequests,
  type ReadResourceResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { ELICITED, JSON_SCHEMA_2020_12, PNG, WAV } from './samples.ts'

/**
 * A server with the tools, prompts and resources that the conformance suite calls by name; the suite's descriptions say
 * what each must do. It stands behind the product's own transport, so what is judged is how the product speaks.
 */
type Answer<R> = R | ReturnType<typeof inputRequired>
type Context = ServerContext['mcpReq']

interface FixtureTool {
  readonly inputSchema?: object
  call(given: Record<string, unknown>, context: Context): Answer<CallToolResult> | Promise<Answer<CallToolResult>>
}

const text = (words: string) => ({ type: 'text' as const, text: words })
const say = (...words: string[]): CallToolResult => ({ content: words.map(text) })
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' }
const resource = (uri: string, mimeType: string, words: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: words },
})

const state = createRequestStateCodec<string>({ key: 'a key of the fixture, which protects nothing' })

type Schema = Parameters<typeof inputRequired.elicit>[0]['requestedSchema']
const asking = (message: string, field: string, type = 'string') =>
  // One field of one type: the SDK's type wants the literal, which a parameter is not.
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: { type } }, required: [field] } as Schema,
  })
const sampling = (words: string, maxTokens = 100) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(words) }], maxTokens })

const log = (context: Context, words: string) => context.log('info', words)

/** What the client answered to a question; undefined when it has not, or with something else. */
function answered(context: Context, name: string): Record<string, unknown> | undefined {
  const found = context.inputResponses?.[name]
  return typeof found === 'object' && found !== null ? { ...found } : undefined
}

/** Asks, and asks again for as long as an answer is missing. */
function once(context: Context, requests: InputRequests, then: (answers: string) => CallToolResult) {
  const answers = Object.keys(requests).map((name) => answered(context, name))
  if (answers.includes(undefined)) return inputRequired({ inputRequests: requests })
  return then(answers.map((answer) => JSON.stringify(answer)).join(' '))
}

const elicits = (requestedSchema: Schema): FixtureTool => ({
  call: (_given, context) => {
    const requests = { form: inputRequired.elicit({ message: 'Please fill this in', requestedSchema }) }
    return once(context, requests, () => {
      const { action, content } = answered(context, 'form') ?? {}
      return say(`Elicitation completed: action=${String(action)}, content=${JSON.stringify(content)}`)
    })
  },
})

/** What a client can do, which arrives with each request since 2026-07-28. */
function capabilitiesOf({ envelope }: Context): ClientCapabilities {
  // The SDK's type names none of the fields that it documents.
  const found = envelope as Record<string, ClientCapabilities | undefined> | undefined
  return found?.[CLIENT_CAPABILITIES_META_KEY] ?? {}
}

const TOOLS: Record<string, FixtureTool> = {
  test_simple_text: { call: () => say('This is a simple text response for testing.') },
  test_image_content: { call: () => ({ content: [image] }) },
  test_audio_content: { call: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }) },
  test_embedded_resource: {
    call: () => ({
      content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
    }),
  },
  test_multiple_content_types: {
    call: () => ({
      content: [
        text('Multiple content types test:'),
        image,
        resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
      ],
    }),
  },
  test_error_handling: {
    call: () => ({ isError: true, content: [text('This tool intentionally returns an error for testing')] }),
  },
  test_tool_with_logging: {
    async call(_given, context) {
      await log(context, 'Tool execution started')
      await sleep(50)
      await log(context, 'Tool processing data')
      await sleep(50)
      await log(context, 'Tool execution completed')
      return say('Done.')
    },
  },
  test_logging_tool: {
    async call(_given, context) {
      await log(context, 'Said only to those who asked for it')
      return say('Done.')
    },
  },
  test_tool_with_progress: {
    async call(_given, context) {
      const progressToken = context._meta?.progressToken
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined)
          await context.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
        await sleep(50)
      }
      return say('Done.')
    },
  },
  test_sampling: {
    inputSchema: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
    call: ({ prompt }, context) =>
      once(context, { reply: sampling(String(prompt)) }, (reply) => say(`LLM response: ${reply}`)),
  },
  test_elicitation: {
    inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    call: ({ message }, context) =>
      once(
        context,
        { user: inputRequired.elicit({ message: String(message), requestedSchema: ELICITED.user }) },
        (answer) => say(`User response: ${answer}`),
      ),
  },
  test_elicitation_sep1034_defaults: elicits(ELICITED.defaults),
  test_elicitation_sep1330_enums: elicits(ELICITED.enums),
  test_streaming_elicitation: {
    call: (_given, context) => once(context, { sure: asking('Sure?', 'sure', 'boolean') }, say),
  },
  test_input_required_result_elicitation: {
    call(_given, context) {
      const given = answered(context, 'user_name')?.['content'] as { name?: unknown } | undefined
      if (typeof given?.name === 'string') return say(`Hello, ${given.name}!`)
      return inputRequired({ inputRequests: { user_name: asking('What is your name?', 'name') } })
    },
  },
  test_input_required_result_sampling: {
    call: (_given, context) => once(context, { capital_question: sampling('What is the capital of France?') }, say),
  },
  test_input_required_result_list_roots: {
    call: (_given, context) => once(context, { client_roots: inputRequired.listRoots() }, say),
  },
  test_input_required_result_request_state: {
    async call(_given, context) {
      if (answered(context, 'confirm') !== undefined && context.requestState<string>() === 'asked')
        return say('state-ok')
      const inputRequests = { confirm: asking('Please confirm', 'ok', 'boolean') }
      return inputRequired({ inputRequests, requestState: await state.mint('asked') })
    },
  },
  test_input_required_result_tampered_state: {
    async call(_given, context) {
      if (answered(context, 'confirm') !== undefined) return say('Confirmed.')
      const inputRequests = { confirm: asking('Please confirm', 'ok', 'boolean') }
      return inputRequired({ inputRequests, requestState: await state.mint('asked') })
    },
  },
  test_input_required_result_multiple_inputs: {
    async call(_given, context) {
      const inputRequests = {
        user_name: asking('What is your name?', 'name'),
        greeting: sampling('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      }
      const isComplete = Object.keys(inputRequests).every((name) => answered(context, name) !== undefined)
      return isComplete ? say('Complete.') : inputRequired({ inputRequests, requestState: await state.mint('asked') })
    },
  },
  test_input_required_result_multi_round: {
    async call(_given, context) {
      const round = context.requestState<string>()
      if (round === 'color' && answered(context, 'step2') !== undefined) return say('Both steps are done.')
      if (round === 'name' && answered(context, 'step1') !== undefined) {
        const step2 = asking('Step 2: What is your favorite color?', 'color')
        return inputRequired({ inputRequests: { step2 }, requestState: await state.mint('color') })
      }
      const step1 = asking('Step 1: What is your name?', 'name')
      return inputRequired({ inputRequests: { step1 }, requestState: await state.mint('name') })
    },
  },
  test_input_required_result_capabilities: {
    call(_given, context) {
      const can = capabilitiesOf(context)
      return once(
        context,
        {
          ...(can.sampling !== undefined && { greeting: sampling('Generate a greeting') }),
          ...(can.elicitation !== undefined && { user_name: asking('What is your name?', 'name') }),
        },
        say,
      )
    },
  },
  test_missing_capability: {
    call(_given, context) {
      if (capabilitiesOf(context).sampling !== undefined) return say('The client can sample.')
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
    },
  },
  json_schema_2020_12_tool: { inputSchema: JSON_SCHEMA_2020_12, call: () => say('Done.') },
  // The lists never change: the product says listChanged: false, and so does this server.
  test_trigger_tool_change: { call: () => say('Nothing changed.') },
  test_trigger_prompt_change: { call: () => say('Nothing changed.') },
}

interface FixturePrompt {
  readonly arguments?: readonly string[]
  get(given: Record<string, string>, context: Context): Answer<GetPromptResult>
}

const user = <C>(content: C) => ({ role: 'user' as const, content })

const PROMPTS: Record<string, FixturePrompt> = {
  test_simple_prompt: { get: () => ({ messages: [user(text('This is a simple prompt for testing.'))] }) },
  test_prompt_with_arguments: {
    arguments: ['arg1', 'arg2'],
    get: ({ arg1 = '', arg2 = '' }) => ({
      messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  },
  test_prompt_with_embedded_resource: {
    arguments: ['resourceUri'],
    get: ({ resourceUri = '' }) => ({
      messages: [
        user(resource(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
        user(text('Please process the embedded resource above.')),
      ],
    }),
  },
  test_prompt_with_image: {
    get: () => ({ messages: [user(image), user(text('Please analyze the image above.'))] }),
  },
  test_input_required_result_prompt: {
    get(_given, context) {
      if (answered(context, 'user_context') !== undefined) return { messages: [user(text('Context received.'))] }
      const user_context = asking('What context should the prompt use?', 'context')
      return inputRequired({ inputRequests: { user_context } })
    },
  },
}

const RESOURCES: Record<string, ReadResourceResult['contents'][number]> = {
  'test://static-text': {
    uri: 'test://static-text',
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  'test://static-binary': { uri: 'test://static-binary', mimeType: 'image/png', blob: PNG },
  'test://watched-resource': { uri: 'test://watched-resource', mimeType: 'text/plain', text: 'It never changes.' },
}
const TEMPLATE = /^test:\/\/template\/(.+)\/data$/

function read(uri: string): ReadResourceResult {
  const found = RESOURCES[uri]
  if (found !== undefined) return { contents: [found] }
  const id = TEMPLATE.exec(uri)?.[1]
  if (id === undefined) throw new ResourceNotFoundError(uri)
  const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
  return { contents: [{ uri, mimeType: 'application/json', text: data }] }
}

function find<T>(table: Record<string, T>, name: string): T {
  const found = table[name]
  if (found === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown: ${name}`)
  return found
}

const capabilities = {
  ...{ tools: { listChanged: false }, prompts: { listChanged: false }, logging: {}, completions: {} },
  resources: { listChanged: false, subscribe: true },
}

/** The fixture, made anew for each exchange or session, as the product's server is. */
export function fixtureServer(): McpServer {
  const mcp = new McpServer(
    { name: 'fixture', version: '1' },
    { capabilities, requestState: { verify: (given, context) => state.verify(given, context) } },
  )
  const { server } = mcp
  server.setRequestHandler('tools/list', () => ({
    tools: Object.entries(TOOLS).map(([name, { inputSchema }]) => ({
      name,
      description: `${name} of the conformance suite`,
      inputSchema: { type: 'object' as const, ...inputSchema },
    })),
  }))
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) =>
    find(TOOLS, params.name).call(params.arguments ?? {}, mcpReq),
  )
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(PROMPTS).map(([name, prompt]) => ({
      name,
      description: `${name} of the conformance suite`,
      arguments: (prompt.arguments ?? []).map((argument) => ({ name: argument, required: true })),
    })),
  }))
  server.setRequestHandler('prompts/get', ({ params }, { mcpReq }) =>
    find(PROMPTS, params.name).get(params.arguments ?? {}, mcpReq),
  )
  server.setRequestHandler('resources/list', () => ({
    resources: Object.values(RESOURCES).map(({ uri, mimeType }) => ({
      ...{ uri, name: uri, description: `${uri} of the conformance suite` },
      ...(mimeType !== undefined && { mimeType }),
    })),
  }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' }],
  }))
  server.setRequestHandler('resources/read', ({ params }) => read(params.uri))
  server.setRequestHandler('resources/subscribe', () => ({}))
  server.setRequestHandler('resources/unsubscribe', () => ({}))
  server.setRequestHandler('completion/complete', () => ({ completion: { values: ['paris', 'park', 'party'] } }))
  return mcp
}
