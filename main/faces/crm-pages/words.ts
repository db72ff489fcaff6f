import type { ConsentResult } from '../../capabilities/crm/index.ts'

interface Failure {
  readonly heading: string
  readonly sentence: string
}

interface ConsentWords {
  readonly title: string
  readonly connected: (instance: string, location: string) => string
  readonly close: string
  readonly failed: Readonly<Record<Exclude<ConsentResult['kind'], 'connected'>, Failure>>
}

const en: ConsentWords = {
  title: 'Connected',
  connected: (instance, location) =>
    `“${instance}” is connected with “${location}”. Messages appear there from now on.`,
  close: 'You can close this page.',
  failed: {
    denied: { heading: 'Not connected', sentence: 'You did not allow the connection, so nothing was changed.' },
    expired: {
      heading: 'This page was already used',
      sentence: 'A consent page works once, for ten minutes. Start the connection again in Switchboard.',
    },
    wrong_location: {
      heading: 'Another location',
      sentence:
        'You chose another location than the one that was asked for. Nothing was changed; connect again and choose that one.',
    },
    choose_location: {
      heading: 'Which location?',
      sentence:
        'You allowed the app for the whole agency. Connect again and choose one location, or give its location_id.',
    },
    taken: {
      heading: 'Already connected',
      sentence: 'This location is connected to another account of this service. Disconnect it there first.',
    },
    unreachable: {
      heading: 'GoHighLevel does not answer',
      sentence: 'Nothing was changed. Wait a minute, then start the connection again in Switchboard.',
    },
    suspended: {
      heading: 'This account is suspended',
      sentence:
        'It cannot be connected at the moment, and nothing was changed. Ask your agency to activate it, then start the connection again in Switchboard.',
    },
    refused: {
      heading: 'GoHighLevel refused the connection',
      sentence: 'Nothing was changed. Check client ID, client secret and scopes of your app, then connect again.',
    },
  },
}

const ptBR: ConsentWords = {
  title: 'Conectado',
  connected: (instance, location) =>
    `“${instance}” está conectado a “${location}”. A partir de agora as mensagens aparecem lá.`,
  close: 'Você pode fechar esta página.',
  failed: {
    denied: { heading: 'Não conectado', sentence: 'Você não permitiu a conexão, então nada mudou.' },
    expired: {
      heading: 'Esta página já foi usada',
      sentence: 'Uma página de permissão funciona uma vez, por dez minutos. Comece a conexão de novo no Switchboard.',
    },
    wrong_location: {
      heading: 'Outra subconta',
      sentence: 'Você escolheu outra subconta que não a pedida. Nada mudou; conecte de novo e escolha a certa.',
    },
    choose_location: {
      heading: 'Qual subconta?',
      sentence:
        'Você permitiu o aplicativo para a agência inteira. Conecte de novo e escolha uma subconta, ou informe o location_id.',
    },
    taken: {
      heading: 'Já conectada',
      sentence: 'Esta subconta está conectada a outra conta deste serviço. Desconecte-a lá primeiro.',
    },
    unreachable: {
      heading: 'O GoHighLevel não responde',
      sentence: 'Nada mudou. Espere um minuto e comece a conexão de novo no Switchboard.',
    },
    suspended: {
      heading: 'Esta conta está suspensa',
      sentence:
        'Ela não pode ser conectada no momento, e nada mudou. Peça à sua agência para ativá-la e comece a conexão de novo no Switchboard.',
    },
    refused: {
      heading: 'O GoHighLevel recusou a conexão',
      sentence: 'Nada mudou. Confira client ID, client secret e escopos do seu aplicativo e conecte de novo.',
    },
  },
}

const es: ConsentWords = {
  title: 'Conectado',
  connected: (instance, location) =>
    `“${instance}” está conectado con “${location}”. Desde ahora los mensajes aparecen allí.`,
  close: 'Puede cerrar esta página.',
  failed: {
    denied: { heading: 'No conectado', sentence: 'No permitió la conexión, así que nada cambió.' },
    expired: {
      heading: 'Esta página ya se usó',
      sentence:
        'Una página de permiso funciona una vez, durante diez minutos. Empiece la conexión de nuevo en Switchboard.',
    },
    wrong_location: {
      heading: 'Otra subcuenta',
      sentence: 'Eligió otra subcuenta distinta de la pedida. Nada cambió; conecte de nuevo y elija la correcta.',
    },
    choose_location: {
      heading: '¿Qué subcuenta?',
      sentence:
        'Permitió la aplicación para toda la agencia. Conecte de nuevo y elija una subcuenta, o indique su location_id.',
    },
    taken: {
      heading: 'Ya conectada',
      sentence: 'Esta subcuenta está conectada a otra cuenta de este servicio. Desconéctela allí primero.',
    },
    unreachable: {
      heading: 'GoHighLevel no responde',
      sentence: 'Nada cambió. Espere un minuto y empiece la conexión de nuevo en Switchboard.',
    },
    suspended: {
      heading: 'Esta cuenta está suspendida',
      sentence:
        'No se puede conectar por ahora, y nada cambió. Pida a su agencia que la active y empiece la conexión de nuevo en Switchboard.',
    },
    refused: {
      heading: 'GoHighLevel rechazó la conexión',
      sentence: 'Nada cambió. Revise client ID, client secret y permisos de su aplicación y conecte de nuevo.',
    },
  },
}

export const words = (language: string): ConsentWords =>
  language.startsWith('pt') ? ptBR : language.startsWith('es') ? es : en
