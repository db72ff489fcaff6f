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
      'Los números solo siguen conectados y los webhooks solo se entregan mientras Switchboard está abierto. Lo encontrará en la bandeja del sistema. Puede cambiar esto en Ajustes.',
    hide: 'Mantener abierto',
    quit: 'Salir',
  },
  quitting: {
    question: '¿Salir y perder los cambios sin guardar?',
    detail: 'Hay texto que no se ha guardado ni enviado.',
    stay: 'Seguir editando',
    quit: 'Salir de todos modos',
  },
  notStarted: 'No se pudo iniciar Switchboard',
  lost: {
    one: (name) => ({
      title: 'Un número se desconectó',
      body: `${name} ya no está conectado. Abra Switchboard para ver por qué.`,
    }),
    many: (count) => ({
      title: `Se desconectaron ${count} números`,
      body: 'Abra Switchboard para ver cuáles y por qué.',
    }),
  },
  deliveries: {
    failed: (host) => ({
      title: 'Falló la entrega de un webhook',
      body: `${host} rechazó un evento en todos los intentos. Puede reenviarlo desde Switchboard.`,
    }),
    off: (host) => ({
      title: 'Se desactivó un webhook',
      body: `${host} sigue rechazando eventos. Quedan guardados y podrá enviarlos cuando vuelva a funcionar.`,
    }),
    many: (count) => ({ title: `${count} webhooks están fallando`, body: 'Algunos eventos no se pudieron entregar.' }),
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
