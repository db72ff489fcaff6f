import type { Words } from './shape.ts'

export const es: Words = {
  open: 'Abrir Switchboard',
  quit: 'Salir de Switchboard',
  settings: 'Ajustes…',
  tray: {
    starting: 'Iniciando…',
    state({ total, connected }) {
      if (total === 0) return 'Todavía no hay números'
      if (connected === total) return total === 1 ? 'El número está conectado' : `Los ${total} números están conectados`
      return connected === 1 ? `1 de ${total} números conectado` : `${connected} de ${total} números conectados`
    },
    lost: (count) => (count === 1 ? '1 número necesita atención' : `${count} números necesitan atención`),
  },
  closing: {
    question: '¿Mantener Switchboard en segundo plano?',
    detail:
      'Los números siguen conectados y los webhooks se entregan solo mientras Switchboard está en marcha. Está en la bandeja. Puede cambiarlo en Ajustes.',
    hide: 'Mantener en marcha',
    quit: 'Salir',
  },
  notStarted: 'No se pudo iniciar Switchboard',
  lost: {
    one: (name) => ({
      title: 'Se perdió un número',
      body: `${name} ya no está conectado. Abra Switchboard para ver por qué.`,
    }),
    many: (count) => ({ title: `Se perdieron ${count} números`, body: 'Abra Switchboard para ver cuáles y por qué.' }),
  },
  deliveries: {
    failed: (host) => ({
      title: 'No se pudo entregar un evento',
      body: `${host} no lo aceptó en ninguno de los intentos. Puede enviarse otra vez desde Switchboard.`,
    }),
    off: (host) => ({
      title: 'Se desactivó un webhook',
      body: `${host} no acepta eventos. Se guardan y pueden enviarse cuando vuelva a funcionar.`,
    }),
    many: (count) => ({ title: `Fallan ${count} webhooks`, body: 'No se les pudieron entregar eventos.' }),
  },
  messages: {
    one: (from, instance) => ({ title: 'Mensaje nuevo', body: `${from} escribió a ${instance}.` }),
    many: (chats) => ({ title: 'Mensajes nuevos', body: `En ${chats} conversaciones.` }),
  },
  menu: {
    about: 'Acerca de Switchboard',
    hide: 'Ocultar Switchboard',
    hideOthers: 'Ocultar otros',
    showAll: 'Mostrar todo',
    edit: 'Editar',
    undo: 'Deshacer',
    redo: 'Rehacer',
    cut: 'Cortar',
    copy: 'Copiar',
    paste: 'Pegar',
    selectAll: 'Seleccionar todo',
    view: 'Ver',
    actualSize: 'Tamaño real',
    zoomIn: 'Acercar',
    zoomOut: 'Alejar',
    fullScreen: 'Pantalla completa',
    window: 'Ventana',
    minimize: 'Minimizar',
    close: 'Cerrar',
  },
}
