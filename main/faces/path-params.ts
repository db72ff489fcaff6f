import { GROUP_ID, NUMBER, USER_ID } from '../contract/addresses.ts'
import type { Operation } from '../contract/operation.ts'

/** A path parameter. */
export interface PathParam {
  /** As in the path: `id`. */
  readonly name: string
  /** A name that is clear without the path: `instance_id`. */
  readonly fullName: string
  readonly description: string
  readonly example: string
  /** The allowed form; without one, an unknown value gets a 404. */
  readonly pattern?: string
}

/** By the path segment before the placeholder. */
const RESOURCES: Readonly<Record<string, Omit<PathParam, 'name'>>> = {
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
    description: 'The `media.id` from the event.',
    example: 'SANDBOX019CAA0B1C2D9F3A5B7C1D2E4F60',
  },
  smv2: { fullName: 'group', description: '`send`, `message`, `user` or `group`.', example: 'message' },
  '{group}': { fullName: 'action', description: 'The action, for example `react`.', example: 'react' },
  phones: { fullName: 'number', description: 'Phone number, digits only.', example: '12025550123' },
  blocked: {
    fullName: 'phone',
    description: 'Number of the person, digits only; of somebody who hides it, the id that the list shows.',
    example: '12025550123',
    pattern: `^(?:${NUMBER}|${USER_ID})$`,
  },
  chats: {
    fullName: 'chat',
    description: 'What events call `chat`: the number of a person, digits only, the id of a group, or a hidden id.',
    example: '12025550123',
    pattern: `^(?:${NUMBER}|${USER_ID}|${GROUP_ID})$`,
  },
  groups: { fullName: 'group', description: 'Id of the group.', example: '120363041234567890@g.us' },
  catcher: { fullName: 'name', description: 'Name of the catcher.', example: 'orders' },
}

/** The parameters of an operation's path, in order. Only the name `id` is expanded. */
export function pathParams(operation: Operation): PathParam[] {
  const segments = operation.path.split('/')
  return segments.flatMap((segment, at) => {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1]
    if (name === undefined) return []
    const collection = segments[at - 1] ?? ''
    const resource = RESOURCES[collection] ?? {
      fullName: name === 'id' ? `${collection.replaceAll('-', '_').replace(/s$/, '')}_id` : name,
      description: `The ${name.replaceAll('_', ' ')} in the path.`,
      example: 'example',
    }
    return [{ ...resource, name, fullName: name === 'id' ? resource.fullName : name }]
  })
}
