import { Type } from 'typebox'
import { InstanceName } from '../../contract/instance.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, Digits, Engine, Nullable, Uuid } from '../../contract/shapes.ts'

export const FusionSide = Type.Object({
  id: Uuid,
  name: InstanceName,
  instance_name: Type.String(),
  engine: Engine,
  connected: Type.Boolean({ description: 'Logged in and usable.' }),
  phone_number: Nullable(Digits),
})

/** Spec: Fusion. */
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
    method: 'POST',
    path: '/v1/instances/{id}/fusion',
    summary: 'Fuse two instances of one number',
    description: [
      'Joins the `official` instance in the path with an `smv2` instance of the same number, so that both are treated as one contact.',
      'What that means: people write to the number, and both engines hear it. Fused, a message, an edit, a deletion or a reaction that both hear is kept and announced **once**, with one `message_id`, under the instance whose engine reports it first; `chat` is the same on both, so it can be answered through either. What one of the two sent is known to the other as well: a reply that quotes it, or a reaction to it, names its `message_id`, and its echo is not announced as a new message. Two reports are of one message when both engines give it the same id in the same chat. Sending, status records and status events stay with the instance that was asked to send, and what was heard before the fusion stays as it was.',
      'Both must have a known number, of one network: sandbox and live never mix. Numbers are compared in canonical form: a Brazilian mobile is the same with its ninth digit and without. The fusion ends, for both, with `DELETE`, or when one of the two is deleted, recreated or connected as another number; disconnecting or logging out leaves it. It fires no event. A restricted key needs both instances in its list.',
    ].join('\n\n'),
    scope: 'instances:write',
    reach: 'instance',
    engine: 'official',
    origin: 'spec',
    body: Body({
      smv2_instance_id: Type.String({ format: 'uuid', description: 'Id of the `smv2` instance.' }),
    }),
    reply: { status: 201, description: 'The two are fused.', schema: FusionView },
    errors: ['engine_mismatch', 'phone_mismatch', 'already_fused', 'invalid_state'],
    examples: {
      body: { smv2_instance_id: SMV2.id },
      reply: { instance: OFFICIAL, fused: true, partner: SMV2 },
    },
    tool: {
      name: 'fuse_instances',
      title: 'Fuse two instances of one number',
      description:
        'Joins an official and an smv2 instance of the same number: what both hear is announced once, as one contact.',
      idempotent: false,
      openWorld: false,
    },
  }),

  getFusion: operation({
    id: 'getFusion',
    method: 'GET',
    path: '/v1/instances/{id}/fusion',
    summary: 'Read a fusion',
    description:
      'Whether the instance is fused, and with which; `partner` is null when it is not. Asked with the `smv2` instance, ' +
      'the answer is the mirror: that one is `instance`, the official one `partner`. For a restricted key that does not ' +
      'reach the partner, `fused` is true and `partner` is null.',
    scope: 'instances:read',
    reach: 'instance',
    origin: 'spec',
    reply: { status: 200, description: 'The fusion as this instance sees it.', schema: FusionView },
    errors: [],
    examples: { reply: { instance: OFFICIAL, fused: true, partner: SMV2 } },
    tool: { name: 'get_fusion', title: 'Read a fusion', idempotent: true, openWorld: false },
  }),

  removeFusion: operation({
    id: 'removeFusion',
    method: 'DELETE',
    path: '/v1/instances/{id}/fusion',
    summary: 'Remove a fusion',
    description:
      'Ends the fusion of the `official` instance in the path, for both sides. From then on each announces for itself what ' +
      'it hears. Repeating it is harmless. A restricted key needs both instances in its list.',
    scope: 'instances:write',
    reach: 'instance',
    engine: 'official',
    destructive: true,
    origin: 'spec',
    reply: { status: 200, description: 'Not fused any more.', schema: FusionView },
    errors: ['engine_mismatch'],
    examples: { reply: { instance: OFFICIAL, fused: false, partner: null } },
    tool: { name: 'remove_fusion', title: 'Remove a fusion', idempotent: true, openWorld: false },
  }),
} as const satisfies Contract
