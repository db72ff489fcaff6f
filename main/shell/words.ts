/** What the system's own menus and boxes say; the page has its words in renderer/locales. */
export interface Words {
  readonly open: string
  readonly quit: string
  readonly connected: (connected: number, total: number) => string
  readonly closing: { readonly question: string; readonly detail: string; readonly hide: string; readonly quit: string }
  readonly lost: { readonly title: string; readonly body: (name: string) => string }
}

const en: Words = {
  open: 'Open Switchboard',
  quit: 'Quit Switchboard',
  connected: (connected, total) => `${connected} of ${total} numbers connected`,
  closing: {
    question: 'Keep Switchboard running in the background?',
    detail: 'Numbers stay connected and webhooks are delivered only while Switchboard runs. You find it in the tray.',
    hide: 'Keep running',
    quit: 'Quit',
  },
  lost: {
    title: 'A number was lost',
    body: (name) => `${name} is not connected any more. Open Switchboard to pair it again.`,
  },
}

const pt: Words = {
  open: 'Abrir o Switchboard',
  quit: 'Encerrar o Switchboard',
  connected: (connected, total) => `${connected} de ${total} números conectados`,
  closing: {
    question: 'Manter o Switchboard em segundo plano?',
    detail:
      'Os números só ficam conectados e os webhooks só são entregues enquanto o Switchboard roda. Ele fica na bandeja.',
    hide: 'Manter rodando',
    quit: 'Encerrar',
  },
  lost: {
    title: 'Um número caiu',
    body: (name) => `${name} não está mais conectado. Abra o Switchboard para pareá-lo de novo.`,
  },
}

const es: Words = {
  open: 'Abrir Switchboard',
  quit: 'Salir de Switchboard',
  connected: (connected, total) => `${connected} de ${total} números conectados`,
  closing: {
    question: '¿Mantener Switchboard en segundo plano?',
    detail:
      'Los números siguen conectados y los webhooks se entregan solo mientras Switchboard está en marcha. Está en la bandeja.',
    hide: 'Mantener en marcha',
    quit: 'Salir',
  },
  lost: {
    title: 'Se perdió un número',
    body: (name) => `${name} ya no está conectado. Abra Switchboard para vincularlo otra vez.`,
  },
}

/** @param locale as the system names it: `pt-BR`, `es-419`, `en-GB`. */
export const wordsFor = (locale: string): Words => ({ pt, es })[locale.split('-')[0] ?? ''] ?? en
