import { Type } from 'typebox'
import { InstanceName } from '../../contract/instance.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, Digits, Engine, Nullable, Uuid } from '../../contract/shapes.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    fusion: true
  }
}

export const FusionSide = Type.Object({
  id: Uuid,
  name: InstanceName,
  instance_name: Type.String(),
  engine: Engine,
  connected: Type.Boolean({ description: 'Logged in and ready to send.' }),
  phone_number: Nullable(Digits),
})

export const FusionView = Type.Object({
  instance: FusionSide,
  fused: Type.Boolean(),
  partner: Nullable(FusionSide),
})

const OFFICIAL = {
  id: '019b8d40-5c1e-7d2a-a6f3-0e9b8c7d6a51',
  name: 'Acme official',
  instance_name: 'acme-official',
  engine: 'official',
  connected: true,
  phone_number: '12025550123',
} as const
const SMV2 = {
  id: '019b8d40-5c1e-7d2a-a6f3-0e9b8c7d6a52',
  name: 'Acme phone',
  instance_name: 'acme-phone',
  engine: 'smv2',
  connected: true,
  phone_number: '12025550123',
} as const

export const fusionContract = {
  fuseInstances: operation({
    id: 'fuseInstances',
    effects: [],
    method: 'POST',
    path: '/v1/instances/{id}/fusion',
    summary: 'Fuse two instances with the same number',
    description: [
      'Links the `official` instance in the path with an `smv2` instance of the same number, so that both act as one contact.',
      'Both engines receive what people write to the number. Once fused, a message, edit, deletion or reaction that both receive is stored and announced **once**, with one `message_id`, under the instance whose engine reports it first. `chat` is the same on both, so you can reply through either. Each instance also knows what the other sent: a reply that quotes it, or a reaction to it, carries its `message_id`, and its echo is not announced as a new message. Two reports are the same message when both engines give it the same id in the same chat. Sending, status records and status events stay with the instance that sent the message. Messages received before the fusion are not changed.',
      'Both instances need a known number and must be on the same network: sandbox and live cannot be mixed. Numbers are compared in canonical form, so a Brazilian mobile number matches with and without its ninth digit. The fusion ends, for both, with `DELETE`, or when one of them is deleted, recreated or connected with another number; disconnecting or logging out keeps it. No event fires. A restricted key needs both instances in its list.',
    ].join('\n\n'),
    scope: 'instances:write',
    reach: 'instance',
    engine: 'official',
    origin: 'spec',
    body: Body({
      smv2_instance_id: Type.String({ format: 'uuid', description: 'ID of the `smv2` instance.' }),
    }),
    reply: { status: 201, description: 'The instances are fused.', schema: FusionView },
    errors: ['engine_mismatch', 'phone_mismatch', 'already_fused', 'invalid_state'],
    examples: {
      body: { smv2_instance_id: SMV2.id },
      reply: { instance: OFFICIAL, fused: true, partner: SMV2 },
    },
    tool: {
      name: 'fuse_instances',
      title: 'Fuse two instances with the same number',
      description:
        'Links an official and an smv2 instance of the same number: what both receive is announced once, as one ' +
        'contact.',
      idempotent: false,
    },
  }),

  getFusion: operation({
    id: 'getFusion',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/fusion',
    summary: 'Get a fusion',
    description:
      'Whether the instance is fused, and with which one; `partner` is null when it is not. For the `smv2` ' +
      'instance the response is mirrored: it is `instance`, and the official one is `partner`. If a ' +
      'restricted key has no access to the partner, `fused` is true and `partner` is null.',
    scope: 'instances:read',
    reach: 'instance',
    origin: 'spec',
    reply: { status: 200, description: 'The fusion, seen from this instance.', schema: FusionView },
    errors: [],
    examples: { reply: { instance: OFFICIAL, fused: true, partner: SMV2 } },
    tool: { name: 'get_fusion', title: 'Get a fusion', idempotent: true },
  }),

  removeFusion: operation({
    id: 'removeFusion',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/instances/{id}/fusion',
    summary: 'Remove a fusion',
    description:
      'Ends the fusion of the `official` instance in the path, for both sides. Each then announces on its own what ' +
      'it receives. Repeating the call is safe. A restricted key needs both instances in its list.',
    scope: 'instances:write',
    reach: 'instance',
    engine: 'official',
    origin: 'spec',
    reply: { status: 200, description: 'No longer fused.', schema: FusionView },
    errors: ['engine_mismatch'],
    examples: { reply: { instance: OFFICIAL, fused: false, partner: null } },
    tool: { name: 'remove_fusion', title: 'Remove a fusion', idempotent: true },
  }),
} as const satisfies Contract
