/* eslint-disable no-restricted-globals -- this runs in a visitor's browser, which has no world to take them from */
/** What visitors of a page read and hear of its widget, in three languages. */
const WORDS = {
  en: {
    call: 'Talk to us',
    hangUp: 'Hang up',
    mute: 'Mute',
    unmute: 'Unmute',
    connecting: 'Connecting…',
    talking: 'Connected. You can speak now.',
    ended: 'The call has ended.',
    denied: 'Allow the microphone in your browser, then try again.',
    noMicrophone: 'No microphone was found.',
    insecure: 'Calls need a page that is opened with https.',
    busy: 'Nobody can answer at the moment. Try again later.',
    failed: 'The call could not be connected. Try again.',
    preview: 'Your camera. Only you see this.',
  },
  'pt-BR': {
    call: 'Fale conosco',
    hangUp: 'Desligar',
    mute: 'Silenciar',
    unmute: 'Ativar microfone',
    connecting: 'Conectando…',
    talking: 'Conectado. Você já pode falar.',
    ended: 'A ligação terminou.',
    denied: 'Permita o microfone no navegador e tente novamente.',
    noMicrophone: 'Nenhum microfone foi encontrado.',
    insecure: 'As ligações precisam de uma página aberta com https.',
    busy: 'Ninguém pode atender agora. Tente mais tarde.',
    failed: 'Não foi possível conectar a ligação. Tente novamente.',
    preview: 'Sua câmera. Só você vê esta imagem.',
  },
  es: {
    call: 'Hable con nosotros',
    hangUp: 'Colgar',
    mute: 'Silenciar',
    unmute: 'Activar micrófono',
    connecting: 'Conectando…',
    talking: 'Conectado. Ya puede hablar.',
    ended: 'La llamada ha terminado.',
    denied: 'Permita el micrófono en el navegador e inténtelo de nuevo.',
    noMicrophone: 'No se encontró ningún micrófono.',
    insecure: 'Las llamadas necesitan una página abierta con https.',
    busy: 'Nadie puede atender en este momento. Inténtelo más tarde.',
    failed: 'No se pudo conectar la llamada. Inténtelo de nuevo.',
    preview: 'Su cámara. Solo usted ve esta imagen.',
  },
} as const

type Words = typeof WORDS

/** The script that pages embed. */
export const widgetScript = (): string => `;(${runWidget.toString()})(${JSON.stringify(WORDS)});\n`

/** Runs in the visitor's browser, so it uses nothing of this module. */
function runWidget(allWords: Words): void {
  interface View {
    readonly name: string
    readonly video_enabled: boolean
    readonly appearance: { color: string; position: 'left' | 'right'; language: string; title: string | null }
  }
  const script = document.currentScript as HTMLScriptElement | null
  const key = script?.dataset['widget'] ?? ''
  const base = `${new URL(script?.src ?? '', location.href).origin}/widget/${encodeURIComponent(key)}`
  const GATHER_MS = 2_000

  let peer: RTCPeerConnection | undefined
  let session: string | undefined
  let stream: MediaStream | undefined

  void fetch(base)
    .then(async (response) => (response.ok ? build((await response.json()) as View) : undefined))
    .catch(() => {})

  function wordsFor(language: string): Words[keyof Words] {
    const wanted = language === 'auto' ? navigator.language : language
    if (/^pt/i.test(wanted)) return allWords['pt-BR']
    return /^es/i.test(wanted) ? allWords.es : allWords.en
  }

  function build({ name, video_enabled: hasVideo, appearance }: View): void {
    const words = wordsFor(appearance.language)
    const host = document.createElement('div')
    const root = host.attachShadow({ mode: 'open' })
    const style = document.createElement('style')
    const side = appearance.position === 'left' ? 'left' : 'right'
    style.textContent = `
      .box { position: fixed; bottom: 20px; ${side}: 20px; z-index: 2147483000; font: 16px/1.4 system-ui, sans-serif;
        display: flex; flex-direction: column; gap: 8px; align-items: ${side === 'left' ? 'flex-start' : 'flex-end'}; }
      .row { display: flex; gap: 8px; }
      button { font: inherit; padding: 12px 20px; border: 0; border-radius: 999px; cursor: pointer; color: #fff;
        background: ${appearance.color}; box-shadow: 0 2px 8px rgb(0 0 0 / .3); }
      button:focus-visible { outline: 3px solid #1a1a1a; outline-offset: 3px; box-shadow: 0 0 0 3px #fff; }
      button.end { background: #b91c1c; } button.quiet { background: #374151; }
      p { margin: 0; padding: 8px 14px; border-radius: 12px; background: #fff; color: #1a1a1a; max-width: 280px;
        box-shadow: 0 2px 8px rgb(0 0 0 / .3); } p:empty { display: none; }
      video { width: 160px; border-radius: 12px; transform: scaleX(-1); } [hidden] { display: none; }
      @media (prefers-reduced-motion: no-preference) { button { transition: filter .15s } button:hover { filter: brightness(1.1) } }`
    const box = document.createElement('div')
    box.className = 'box'
    box.setAttribute('role', 'group')
    box.setAttribute('aria-label', appearance.title ?? name)
    const status = document.createElement('p')
    status.setAttribute('role', 'status')
    const video = document.createElement('video')
    Object.assign(video, { muted: true, autoplay: true, playsInline: true, hidden: true })
    video.setAttribute('aria-label', words.preview)
    const row = document.createElement('div')
    row.className = 'row'
    const button = (text: string, className: string, act: () => void): HTMLButtonElement => {
      const made = document.createElement('button')
      Object.assign(made, { type: 'button', textContent: text, className })
      made.addEventListener('click', act)
      return made
    }
    const callButton = button(appearance.title ?? words.call, 'call', () => void begin())
    const muteButton = button(words.mute, 'quiet', () => {
      const track = stream?.getAudioTracks()[0]
      if (track === undefined) return
      track.enabled = !track.enabled
      muteButton.textContent = track.enabled ? words.mute : words.unmute
      muteButton.setAttribute('aria-pressed', String(!track.enabled))
    })
    const endButton = button(words.hangUp, 'end', () => stop(words.ended))
    const audio = document.createElement('audio')
    audio.autoplay = true
    row.append(callButton, muteButton, endButton)
    box.append(status, video, row, audio)
    root.append(style, box)
    document.body.append(host)
    show('idle', '')

    function show(state: 'idle' | 'busy' | 'talking', text: string): void {
      const hadFocus = root.activeElement !== null
      host.dataset['state'] = state
      status.textContent = text
      callButton.hidden = state !== 'idle'
      endButton.hidden = state === 'idle'
      muteButton.hidden = state !== 'talking'
      if (hadFocus) (state === 'idle' ? callButton : endButton).focus()
    }

    async function begin(): Promise<void> {
      if (!window.isSecureContext) return show('idle', words.insecure)
      show('busy', words.connecting)
      try {
        stream = await navigator.mediaDevices.getUserMedia({ audio: true, video: hasVideo })
      } catch (error) {
        const isMissing = error instanceof DOMException && error.name === 'NotFoundError'
        return show('idle', isMissing ? words.noMicrophone : words.denied)
      }
      try {
        if (hasVideo) {
          video.srcObject = stream
          video.hidden = false
        }
        await connect(stream)
      } catch (error) {
        stop(error instanceof Error && error.message === 'busy' ? words.busy : words.failed)
      }
    }

    async function connect(own: MediaStream): Promise<void> {
      const connection = new RTCPeerConnection()
      peer = connection
      // Only the sound: the camera is a preview.
      for (const track of own.getAudioTracks()) connection.addTrack(track, own)
      connection.addEventListener('track', ({ streams }) => {
        audio.srcObject = streams[0] ?? null
        void audio.play().catch(() => {})
      })
      connection.addEventListener('connectionstatechange', () => {
        if (peer !== connection) return
        if (connection.connectionState === 'connected') show('talking', words.talking)
        if (['failed', 'closed', 'disconnected'].includes(connection.connectionState)) stop(words.ended)
      })
      await connection.setLocalDescription(await connection.createOffer())
      await gathered(connection)
      const response = await fetch(`${base}/sessions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ offer: connection.localDescription?.sdp }),
      })
      if (!response.ok) throw new Error(response.status === 429 || response.status === 503 ? 'busy' : 'failed')
      const { answer, session: begun } = (await response.json()) as { answer: string; session: string }
      session = begun
      await connection.setRemoteDescription({ type: 'answer', sdp: answer })
    }

    function stop(text: string): void {
      const [ending, own] = [session, stream]
      peer?.close()
      peer = session = stream = undefined
      for (const track of own?.getTracks() ?? []) track.stop()
      video.hidden = true
      video.srcObject = null
      muteButton.textContent = words.mute
      if (ending !== undefined) leave(ending)
      show('idle', text)
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
    void fetch(`${base}/sessions/${encodeURIComponent(ending)}`, { method: 'DELETE', keepalive: true }).catch(() => {})
  }

  addEventListener('pagehide', () => {
    if (session !== undefined) leave(session)
  })
}
