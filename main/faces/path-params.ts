import type { Operation } from '../contract/operation.ts'

/** A placeholder of a path, in words. */
export interface PathParam {
  /** As it stands in the path: `id`. */
  readonly name: string
  /** A name that is clear without the path around it: `instance_id`. */
  readonly fullName: string
  readonly description: string
  readonly example: string
}

/** By the segment before the placeholder: what is listed there, and one of it. */
const THINGS: Readonly<Record<string, Omit<PathParam, 'name'>>> = {
  instances: {
    fullName: 'instance_id',
    description: 'Id of the instance.',
    example: '0195f3a8-5e1c-7c3a-9b1e-2f6d8a4c7e10',
  },
  messages: { fullName: 'message_id', description: 'Id of the message.', example: 'msg_01JQ5Z8T9V3X7K2M4N6P8R0S1T' },
  webhooks: { fullName: 'webhook_id', description: 'Id of the webhook.', example: 'whk_01JQ5Z8T9V3X7K2M4N6P8R0S1T' },
  deliveries: {
    fullName: 'delivery_id',
    description: 'Id of the delivery.',
    example: 'dlv_01JQ5Z8T9V3X7K2M4N6P8R0S1T',
  },
  events: { fullName: 'event_id', description: 'Id of the event.', example: 'evt_01JQ5Z8T9V3X7K2M4N6P8R0S1T' },
  keys: { fullName: 'key_id', description: 'Id of the API key.', example: '0195f3a8-5e1c-7c3a-9b1e-2f6d8a4c7e11' },
  media: {
    fullName: 'media_id',
    description: '`media.id` of the event.',
    example: 'SANDBOX019CAA0B1C2D9F3A5B7C1D2E4F60',
  },
  smv2: { fullName: 'group', description: '`send`, `message`, `user` or `group`.', example: 'message' },
  '{group}': { fullName: 'action', description: 'What to do, for example `react`.', example: 'react' },
  phones: { fullName: 'number', description: 'Number of the phone, digits only.', example: '12025550123' },
  catcher: { fullName: 'name', description: 'Name of the catcher.', example: 'orders' },
}

/** The placeholders of an operation's path, in order. A name the path itself makes clear is kept. */
export function pathParams(operation: Operation): PathParam[] {
  const segments = operation.path.split('/')
  return segments.flatMap((segment, at) => {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1]
    if (name === undefined) return []
    const listed = segments[at - 1] ?? ''
    const thing = THINGS[listed] ?? {
      fullName: name === 'id' ? `${listed.replaceAll('-', '_').replace(/s$/, '')}_id` : name,
      description: `The ${name.replaceAll('_', ' ')} in the path.`,
      example: 'example',
    }
    return [{ ...thing, name, fullName: name === 'id' ? thing.fullName : name }]
  })
}
