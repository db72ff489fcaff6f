import type { WidgetAppearance } from './voice.ts'

/** Texts that visitors read and hear in a widget. The script of the widget and the preview in the window share them. */
export const WIDGET_WORDS = {
  en: {
    call: 'Talk to us',
    hangUp: 'Hang up',
    mute: 'Mute',
    unmute: 'Unmute',
    connecting: 'Connecting…',
    talking: 'Connected. You can speak now.',
    muted: 'Your microphone is off.',
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
    muted: 'Seu microfone está desligado.',
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
    muted: 'Su micrófono está apagado.',
    ended: 'La llamada ha terminado.',
    denied: 'Permita el micrófono en el navegador e inténtelo de nuevo.',
    noMicrophone: 'No se encontró ningún micrófono.',
    insecure: 'Las llamadas necesitan una página abierta con https.',
    busy: 'Nadie puede atender en este momento. Inténtelo más tarde.',
    failed: 'No se pudo conectar la llamada. Inténtelo de nuevo.',
    preview: 'Su cámara. Solo usted ve esta imagen.',
  },
} as const

export type WidgetLanguage = keyof typeof WIDGET_WORDS
export type WidgetWords = (typeof WIDGET_WORDS)[WidgetLanguage]

/** Data that a page needs to show its widget. */
export interface WidgetLook extends Omit<WidgetAppearance, 'language'> {
  /** Color of the text on `color`. */
  readonly text_color: string
}

/** `talking`: connected, and both can be heard. */
type WidgetState = 'idle' | 'busy' | 'talking'

interface WidgetActs {
  readonly begin: () => void
  /** @returns whether the microphone is off now. */
  readonly toggleMute: () => boolean
  readonly end: () => void
}

export interface WidgetElements {
  readonly host: HTMLElement
  readonly audio: HTMLAudioElement
  readonly video: HTMLVideoElement
  show(state: WidgetState, text: string): void
}

/**
 * Creates the elements of a widget. The script contains this function as text for the visitor's browser, so it must
 * not use anything from this module.
 */
export function buildWidget(
  look: WidgetLook,
  { words, language }: { readonly words: WidgetWords; readonly language: string },
  acts: WidgetActs,
): WidgetElements {
  const host = document.createElement('div')
  const root = host.attachShadow({ mode: 'open' })
  const side = look.position === 'left' ? 'left' : 'right'
  // An adopted style sheet works even if the page's security policy forbids inline styles.
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(`
    .box { position: fixed; bottom: max(20px, env(safe-area-inset-bottom)); ${side}: 20px; z-index: 2147483000;
      max-width: calc(100% - 40px); font: 16px/1.4 system-ui, sans-serif; display: flex; flex-direction: column; gap: 8px;
      align-items: ${side === 'left' ? 'flex-start' : 'flex-end'}; }
    .row { display: flex; flex-wrap: wrap; gap: 8px; justify-content: ${side === 'left' ? 'flex-start' : 'flex-end'}; }
    button { font: inherit; padding: 12px 20px; border: 2px solid transparent; border-radius: 24px; cursor: pointer;
      color: ${look.text_color}; background: ${look.color}; box-shadow: 0 2px 8px rgb(0 0 0 / .3), 0 0 0 1px rgb(255 255 255 / .4);
      overflow-wrap: anywhere; }
    button:focus-visible { outline: 3px solid #1a1a1a; outline-offset: 3px; box-shadow: 0 0 0 3px #fff; }
    button.end { color: #fff; background: #b91c1c; } button.quiet { color: #fff; background: #374151; }
    p { margin: 0; padding: 8px 14px; border-radius: 12px; background: #fff; color: #1a1a1a; max-width: 280px;
      box-shadow: 0 2px 8px rgb(0 0 0 / .3); }
    p:empty { position: absolute; width: 1px; height: 1px; padding: 0; overflow: hidden; clip-path: inset(50%); }
    video { width: 160px; border-radius: 12px; transform: scaleX(-1); } [hidden] { display: none; }
    @media (forced-colors: active) { button, p { border: 2px solid; } }
    @media (prefers-reduced-motion: no-preference) { button { transition: filter .15s } button:hover { filter: brightness(1.1) } }
    @media print { .box { display: none; } }`)
  root.adoptedStyleSheets = [sheet]

  const box = document.createElement('div')
  box.className = 'box'
  box.lang = language
  // A landmark: screen readers list it, wherever the page ends.
  box.setAttribute('role', 'region')
  box.setAttribute('aria-label', look.title ?? words.call)
  // Empty rather than absent: screen readers announce only changes in an existing element.
  const status = document.createElement('p')
  status.setAttribute('role', 'status')
  const video = document.createElement('video')
  Object.assign(video, { muted: true, autoplay: true, playsInline: true, hidden: true })
  video.setAttribute('aria-label', words.preview)
  const audio = document.createElement('audio')
  audio.autoplay = true

  const button = (text: string, className: string, act: () => void): HTMLButtonElement => {
    const made = document.createElement('button')
    Object.assign(made, { type: 'button', textContent: text, className })
    made.addEventListener('click', act)
    return made
  }
  const callButton = button(look.title ?? words.call, 'call', acts.begin)
  const muteButton = button(words.mute, 'quiet', () => showMuted(acts.toggleMute()))
  const endButton = button(words.hangUp, 'end', acts.end)
  const row = document.createElement('div')
  row.className = 'row'
  row.append(callButton, muteButton, endButton)
  box.append(status, video, row, audio)
  root.append(box)

  function showMuted(isMuted: boolean): void {
    muteButton.textContent = isMuted ? words.unmute : words.mute
    status.textContent = isMuted ? words.muted : words.talking
  }

  function show(state: WidgetState, text: string): void {
    const hadFocus = root.activeElement !== null
    host.dataset['state'] = state
    status.textContent = text
    callButton.hidden = state !== 'idle'
    endButton.hidden = state === 'idle'
    muteButton.hidden = state !== 'talking'
    muteButton.textContent = words.mute
    // The pressed button is removed, and the focus would be lost with it.
    if (hadFocus) (state === 'idle' ? callButton : endButton).focus()
  }
  show('idle', '')
  return { host, audio, video, show }
}
