/* eslint-disable no-restricted-globals -- this runs in a visitor's browser, where only globals provide these */
import {
  buildWidget,
  WIDGET_WORDS,
  type WidgetElements,
  type WidgetLanguage,
  type WidgetLook,
} from '../../contract/widget-view.ts'

type Words = typeof WIDGET_WORDS
type Build = typeof buildWidget

/** The script that pages embed. */
export const widgetScript = (): string =>
  `;(${runWidget.toString()})(${JSON.stringify(WIDGET_WORDS)}, ${buildWidget.toString()});\n`

/** Runs in the visitor's browser, so it must not use anything from this module. */
function runWidget(allWords: Words, build: Build): void {
  interface View extends WidgetLook {
    readonly language: string
    readonly video_enabled: boolean
  }
  const script = document.currentScript as HTMLScriptElement | null
  const { widget: key = '', test } = script?.dataset ?? {}
  const base = `${new URL(script?.src ?? '', location.href).origin}/widget/${encodeURIComponent(key)}`
  const query = test === undefined ? '' : `?test=${encodeURIComponent(test)}`
  const GATHER_MS = 2_000

  let peer: RTCPeerConnection | undefined
  let session: string | undefined
  let stream: MediaStream | undefined
  /** Counts the calls, so that late results of an ended call do not affect the next one. */
  let attempt = 0

  void fetch(base + query)
    .then(async (response) => (response.ok ? start((await response.json()) as View) : undefined))
    .catch(() => {})

  /** The language of the widget, otherwise of the page, otherwise of the visitor's browser. */
  function languageFor(wanted: string): WidgetLanguage {
    const tags = wanted === 'auto' ? [document.documentElement.lang, ...navigator.languages] : [wanted]
    for (const tag of tags) {
      if (/^pt\b/i.test(tag)) return 'pt-BR'
      if (/^es\b/i.test(tag)) return 'es'
      if (/^en\b/i.test(tag)) return 'en'
    }
    return 'en'
  }

  function start(view: View): void {
    const language = languageFor(view.language)
    const words = allWords[language]
    const widget: WidgetElements = build(view, { words, language }, { begin, toggleMute, end: () => stop(words.ended) })
    // The script may run before the page has a body.
    if (document.readyState === 'loading')
      document.addEventListener('DOMContentLoaded', () => document.body.append(widget.host))
    else document.body.append(widget.host)

    function toggleMute(): boolean {
      const track = stream?.getAudioTracks()[0]
      if (track === undefined) return false
      track.enabled = !track.enabled
      return !track.enabled
    }

    async function begin(): Promise<void> {
      if (!window.isSecureContext) return widget.show('idle', words.insecure)
      const mine = ++attempt
      widget.show('busy', words.connecting)
      try {
        const own = await navigator.mediaDevices.getUserMedia({ audio: true, video: view.video_enabled })
        if (mine !== attempt) return own.getTracks().forEach((track) => track.stop())
        stream = own
      } catch (error) {
        const isMissing = error instanceof DOMException && error.name === 'NotFoundError'
        if (mine === attempt) stop(isMissing ? words.noMicrophone : words.denied)
        return
      }
      try {
        if (view.video_enabled) {
          widget.video.srcObject = stream
          widget.video.hidden = false
        }
        await connect(stream)
      } catch (error) {
        if (mine === attempt) stop(error instanceof Error && error.message === 'busy' ? words.busy : words.failed)
      }
    }

    async function connect(own: MediaStream): Promise<void> {
      const connection = new RTCPeerConnection()
      peer = connection
      // Only the audio: the camera is a preview.
      for (const track of own.getAudioTracks()) connection.addTrack(track, own)
      connection.addEventListener('track', ({ streams }) => {
        widget.audio.srcObject = streams[0] ?? null
        void widget.audio.play().catch(() => {})
      })
      connection.addEventListener('connectionstatechange', () => {
        if (peer !== connection) return
        if (connection.connectionState === 'connected') widget.show('talking', words.talking)
        if (['failed', 'closed', 'disconnected'].includes(connection.connectionState)) stop(words.ended)
      })
      await connection.setLocalDescription(await connection.createOffer())
      await gathered(connection)
      const response = await fetch(`${base}/sessions${query}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ offer: connection.localDescription?.sdp }),
      })
      if (!response.ok) throw new Error(response.status === 429 || response.status === 503 ? 'busy' : 'failed')
      const { answer, session: begun } = (await response.json()) as { answer: string; session: string }
      // The visitor hung up meanwhile.
      if (peer !== connection) return leave(begun)
      session = begun
      await connection.setRemoteDescription({ type: 'answer', sdp: answer })
    }

    function stop(text: string): void {
      const [ending, own] = [session, stream]
      attempt++
      peer?.close()
      peer = session = stream = undefined
      for (const track of own?.getTracks() ?? []) track.stop()
      widget.video.hidden = true
      widget.video.srcObject = null
      if (ending !== undefined) leave(ending)
      widget.show('idle', text)
    }
  }

  function gathered(connection: RTCPeerConnection): Promise<void> {
    if (connection.iceGatheringState === 'complete') return Promise.resolve()
    return new Promise((resolve) => {
      const limit = setTimeout(resolve, GATHER_MS)
      connection.addEventListener('icegatheringstatechange', () => {
        if (connection.iceGatheringState !== 'complete') return
        clearTimeout(limit)
        resolve()
      })
    })
  }

  function leave(ending: string): void {
    const address = `${base}/sessions/${encodeURIComponent(ending)}${query}`
    void fetch(address, { method: 'DELETE', keepalive: true }).catch(() => {})
  }

  addEventListener('pagehide', () => {
    if (session !== undefined) leave(session)
  })
}
