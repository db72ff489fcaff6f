import type { Words } from './shape.ts'

export const pt: Words = {
  open: 'Abrir o Switchboard',
  quit: 'Sair do Switchboard',
  settings: 'Configurações…',
  tray: {
    starting: 'Iniciando…',
    state({ total, connected }) {
      if (total === 0) return 'Nenhum número ainda'
      if (connected === total) return total === 1 ? 'O número está conectado' : `Todos os ${total} números conectados`
      return connected === 1 ? `1 de ${total} números conectado` : `${connected} de ${total} números conectados`
    },
    lost: (count) => (count === 1 ? '1 número precisa de atenção' : `${count} números precisam de atenção`),
  },
  closing: {
    question: 'Manter o Switchboard em segundo plano?',
    detail:
      'Os números só ficam conectados e os webhooks só são entregues enquanto o Switchboard está aberto. Ele fica na bandeja do sistema. Você pode mudar isso em Configurações.',
    hide: 'Manter aberto',
    quit: 'Sair',
  },
  quitting: {
    question: 'Sair e perder as alterações não salvas?',
    detail: 'Há texto que ainda não foi salvo nem enviado.',
    stay: 'Continuar editando',
    quit: 'Sair mesmo assim',
  },
  notStarted: 'Não foi possível iniciar o Switchboard',
  lost: {
    one: (name) => ({
      title: 'Um número foi desconectado',
      body: `${name} não está mais conectado. Abra o Switchboard para ver por quê.`,
    }),
    many: (count) => ({
      title: `${count} números foram desconectados`,
      body: 'Abra o Switchboard para ver quais e por quê.',
    }),
  },
  deliveries: {
    failed: (host) => ({
      title: 'Falha na entrega do webhook',
      body: `${host} recusou um evento em todas as tentativas. Você pode reenviá-lo pelo Switchboard.`,
    }),
    off: (host) => ({
      title: 'Um webhook foi desativado',
      body: `${host} continua recusando eventos. Eles ficam guardados, e você pode enviá-los quando voltar a funcionar.`,
    }),
    many: (count) => ({ title: `${count} webhooks estão falhando`, body: 'Alguns eventos não foram entregues.' }),
  },
  messages: {
    one: (from, instance) => ({ title: 'Nova mensagem', body: `${from} escreveu para ${instance}.` }),
    many: (chats) => ({ title: 'Novas mensagens', body: `Em ${chats} conversas.` }),
  },
  menu: {
    about: 'Sobre o Switchboard',
    hide: 'Ocultar o Switchboard',
    hideOthers: 'Ocultar outros',
    showAll: 'Mostrar tudo',
    edit: 'Editar',
    undo: 'Desfazer',
    redo: 'Refazer',
    cut: 'Recortar',
    copy: 'Copiar',
    paste: 'Colar',
    selectAll: 'Selecionar tudo',
    view: 'Exibir',
    actualSize: 'Tamanho real',
    zoomIn: 'Ampliar',
    zoomOut: 'Reduzir',
    fullScreen: 'Tela cheia',
    window: 'Janela',
    minimize: 'Minimizar',
    close: 'Fechar',
  },
}
