/** One message of a server-sent stream. */
export interface StreamMessage {
  readonly id: string | undefined
  readonly event: string
  readonly data: string
}

/**
 * Splits the text of a server-sent stream into messages; comments only keep the connection alive (HTML: Server-sent
 * events).
 */
export async function* readMessages(stream: ReadableStream<BufferSource>): AsyncGenerator<StreamMessage> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + value).split(/\r?\n\r?\n/)
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const message = parseMessage(block)
        if (message !== undefined) yield message
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function parseMessage(block: string): StreamMessage | undefined {
  let [id, event, data]: [string | undefined, string, string[]] = [undefined, 'message', []]
  for (const line of block.split(/\r?\n/)) {
    const [, name = '', value = ''] = /^([^:]*): ?(.*)$/.exec(line) ?? []
    if (name === 'id') id = value
    if (name === 'event') event = value
    if (name === 'data') data = [...data, value]
  }
  return data.length === 0 && event === 'message' ? undefined : { id, event, data: data.join('\n') }
}
