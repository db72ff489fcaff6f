import { Type } from 'typebox'
import { LIMITS } from '../../../contract/limits.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { List } from '../../../contract/shapes.ts'
import { NewWidget, VoiceWidget, WidgetPatch } from '../../../contract/voice.ts'
import { WIDGET_EXAMPLE } from '../../../contract/voice-examples.ts'
import { page, under, reads, manages, quiet } from './parts.ts'

const widgetReply = { status: 200, description: 'The widget.', schema: VoiceWidget } as const

export const widgetsContract = {
  createVoiceWidget: operation({
    ...manages,
    id: 'createVoiceWidget',
    effects: ['destination'],
    method: 'POST',
    path: `${under.path}/widgets`,
    summary: 'Create a widget',
    description: `A button for web pages with which visitors talk to an agent in their browser. At most ${LIMITS.voiceWidgetsPerInstance} per instance. Put \`embed_snippet\` into the page.`,
    idempotencyKey: true,
    origin: 'spec',
    body: NewWidget,
    reply: { status: 201, description: 'The widget was created.', schema: VoiceWidget },
    errors: ['not_found', 'invalid_state'],
    examples: { body: { name: 'Website', allowed_origins: ['https://www.example.com'] }, reply: WIDGET_EXAMPLE },
    tool: {
      name: 'create_voice_widget',
      title: 'Create a widget',
      idempotent: false,
      onRequest: true,
    },
  }),

  listVoiceWidgets: operation({
    ...reads,
    id: 'listVoiceWidgets',
    effects: [],
    path: `${under.path}/widgets`,
    summary: 'List widgets',
    description: 'The widgets of this instance, newest first.',
    origin: 'ours',
    query: Type.Object(page),
    reply: { status: 200, description: 'A page of widgets.', schema: List(VoiceWidget) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [WIDGET_EXAMPLE], next_cursor: null, has_more: false } },
    tool: { ...quiet, name: 'list_voice_widgets', title: 'List widgets' },
  }),

  getVoiceWidget: operation({
    ...reads,
    id: 'getVoiceWidget',
    effects: [],
    path: `${under.path}/widgets/{widget_id}`,
    summary: 'Read a widget',
    description: 'Its origins, its colors, and the snippet that puts it on a page.',
    origin: 'ours',
    reply: widgetReply,
    errors: [],
    examples: { reply: WIDGET_EXAMPLE },
    tool: { ...quiet, name: 'get_voice_widget', title: 'Read a widget' },
  }),

  updateVoiceWidget: operation({
    ...manages,
    id: 'updateVoiceWidget',
    effects: ['destination'],
    method: 'PATCH',
    path: `${under.path}/widgets/{widget_id}`,
    summary: 'Change a widget',
    description: 'Changes the fields you send. Pages use the new settings when they are loaded again.',
    origin: 'spec',
    body: WidgetPatch,
    reply: widgetReply,
    errors: ['not_found'],
    examples: { body: { video_enabled: true }, reply: { ...WIDGET_EXAMPLE, video_enabled: true } },
    tool: { name: 'update_voice_widget', title: 'Change a widget', idempotent: true, onRequest: true },
  }),

  deleteVoiceWidget: operation({
    ...manages,
    id: 'deleteVoiceWidget',
    effects: ['removal'],
    method: 'DELETE',
    path: `${under.path}/widgets/{widget_id}`,
    summary: 'Delete a widget',
    description: 'Pages that embed it show nothing any more, and its running calls end.',
    origin: 'spec',
    reply: { status: 204, description: 'The widget was deleted.', schema: null },
    errors: [],
    examples: {},
    tool: {
      name: 'delete_voice_widget',
      title: 'Delete a widget',
      idempotent: false,
      onRequest: true,
    },
  }),
} as const satisfies Contract
