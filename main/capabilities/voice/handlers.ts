import { isoTime } from '../../contract/request.ts'
import type { VoiceCall, VoiceWidget } from '../../contract/voice.ts'
import { isOperator, type Principal } from '../../kernel/access.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { listPage } from '../../kernel/list-page.ts'
import { Answer, answerOfCreated, type Existence, type Handlers } from '../handler.ts'
import type { voiceContract } from './contract.ts'
import type { BatchReply } from './contract/calls.ts'
import type { VoiceDeps } from './deps.ts'
import type { Voice } from './index.ts'
import { toCall } from './record.ts'

export function voiceHandlers(
  voice: Voice,
  { mailbox, mailer, cursors }: Pick<VoiceDeps, 'mailbox' | 'mailer' | 'cursors'>,
): Handlers<typeof voiceContract> {
  const { setup, schedule, direct, calls, controls, recordings, widgets, speech, trunks } = voice
  return {
    getLatestVoiceRecording: async ({ principal, query }) => ({
      data: await recordings.latest(principal, query.instance, query.call_id),
    }),
    listVoiceRecordings: ({ instance, query }) => recordings.list(instance, query),
    getVoiceRecording: ({ instance, params }) => recordings.show(instance, params.recording_id),
    async downloadVoiceRecording({ instance, params }) {
      const location = await recordings.link(instance, params.recording_id)
      return new Answer<undefined>({ status: 307, headers: { Location: location } })
    },

    scheduleVoiceCall: async (call) => answerOfCreated<VoiceCall>(await schedule.single(call)),
    scheduleVoiceCallBatch: async (call) => answerOfCreated<BatchReply>(await schedule.batch(call)),
    listVoiceCalls: ({ instance, query }) => calls.list(instance, query),
    getVoiceCall: async ({ instance, params }) => toCall(await calls.get(instance, params.call_id)),
    getVoiceCallReview: ({ instance, params }) => calls.review(instance, params.call_id),
    cancelVoiceCall: ({ instance, params }) => calls.cancel(instance, params.call_id),

    holdVoiceCall: ({ instance, params }) => controls.hold(instance, params.call_id, true),
    resumeVoiceCall: ({ instance, params }) => controls.hold(instance, params.call_id, false),
    sendVoiceCallDigits: ({ instance, params, body }) => controls.press(instance, params.call_id, body.digits),
    transferVoiceCall: ({ instance, params, body }) => controls.transfer(instance, params.call_id, body.to_number),

    getVoice: ({ instance }) => setup.status(instance),
    enableVoice: ({ instance }) => setup.enable(instance),
    updateVoiceSettings: ({ instance, body }) => setup.update(instance, body),

    createVoiceWidget: async ({ instance, body, rawBody, idempotencyKey }) =>
      answerOfCreated<VoiceWidget>(await widgets.create(instance, body, { rawBody, idempotencyKey })),
    listVoiceWidgets: ({ instance, query }) => widgets.list(instance, query),
    getVoiceWidget: ({ instance, params }) => widgets.show(instance, params.widget_id),
    updateVoiceWidget: ({ instance, params, body }) => widgets.update(instance, params.widget_id, body),
    async deleteVoiceWidget({ instance, params }) {
      await widgets.remove(instance, params.widget_id)
      return undefined
    },

    listAllVoiceCalls: ({ principal, query }) => calls.listAll(principal.accountId, query),
    listAllVoiceRecordings: ({ principal, query }) => recordings.listAll(principal.accountId, query),
    listLiveVoiceCalls: async ({ principal }) => ({ data: await calls.live(principal.accountId) }),
    hangUpVoiceCall: ({ instance, params }) => calls.hangUp(instance, params.call_id),
    async listenToVoiceCall({ principal, instance, params, body }) {
      return { answer: await calls.listen(principal, instance, params.call_id, body.offer) }
    },
    async callFromConsole({ principal, instance, body }) {
      const { call, answer } = await direct.softphone(principal, instance, body.to_number, body.offer)
      return { call: toCall(call), answer }
    },
    async answerVoiceCall({ principal, instance, params, body }) {
      await calls.get(instance, params.call_id)
      const { call, answer } = await direct.answer(principal, instance, params.call_id, body.offer)
      return { call: toCall(call), answer }
    },
    getVoiceRecordingPeaks: ({ instance, params }) => recordings.peaks(instance, params.recording_id),
    async playVoiceRecording({ instance, params }) {
      const recording = await recordings.get(instance, params.recording_id)
      const headers = { 'Content-Type': 'audio/ogg', 'Content-Disposition': 'inline' }
      return new Answer({ file: await recordings.fileOf(recording), headers })
    },
    async deleteVoiceRecording({ instance, params }) {
      await recordings.delete(instance, params.recording_id)
      return undefined
    },
    checkVoiceSetup: async ({ instance }) => ({ checks: await voice.check(instance) }),
    listVoiceInstances: ({ principal }) => setup.overview(principal.accountId),
    openVoiceWidgetTest: ({ instance, params }) => widgets.testPage(instance, params.widget_id),
    getVoiceSpeech: ({ principal }) => speech.read(principal.accountId),
    async setVoiceSpeech({ principal, body, requireAccess }) {
      await speech.set(principal.accountId, body, isOperator(principal), requireAccess)
      return speech.read(principal.accountId)
    },
    getVoiceTrunk: async ({ instance }) => ({ trunk: await trunks.read(instance.id) }),
    setVoiceTrunk: async ({ instance, principal, body, requireAccess }) => ({
      trunk: await trunks.set(instance, body, isOperator(principal), requireAccess),
    }),
    async removeVoiceTrunk({ instance }) {
      await trunks.remove(instance)
      return undefined
    },

    async listSandboxMails({ principal: { accountId }, query }) {
      const page = await listPage(cursors, `sandbox mails:${accountId}`, query, {
        read: ({ after, rows }) =>
          mailbox.list(accountId, { beforeId: after === undefined ? null : String(after[0]), limit: rows }),
        at: ({ id }) => [id],
        show: (mails) =>
          mails.map(({ id, from, to, subject, text, receivedAtMs }) => ({
            ...{ id, from, to: [...to], subject, text, received_at: isoTime(receivedAtMs) },
          })),
      })
      return { ...page, active: mailer.isSandbox }
    },
  }
}

/**
 * Checks the objects that a path names besides the instance. The instance itself is checked later, before the handler
 * runs.
 */
export function voiceExistence(voice: Voice): Existence<typeof voiceContract> {
  const call = (_: Principal, { id, call_id: callId }: { readonly id: string; readonly call_id: string }) =>
    voice.calls.get({ id: id as InstanceId }, callId)
  const widget = (_: Principal, { id, widget_id: widgetId }: { readonly id: string; readonly widget_id: string }) =>
    voice.widgets.get({ id: id as InstanceId }, widgetId)
  const recording = (_: Principal, params: { readonly id: string; readonly recording_id: string }) =>
    voice.recordings.get({ id: params.id as InstanceId }, params.recording_id)
  return {
    cancelVoiceCall: call,
    holdVoiceCall: call,
    resumeVoiceCall: call,
    sendVoiceCallDigits: call,
    transferVoiceCall: call,
    hangUpVoiceCall: call,
    listenToVoiceCall: call,
    updateVoiceWidget: widget,
    deleteVoiceWidget: widget,
    openVoiceWidgetTest: widget,
    deleteVoiceRecording: recording,
  }
}
