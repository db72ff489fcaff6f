import type { OnboardingLocale } from './shape.ts'

const ENTER = 'en la app de Meta: WhatsApp → Configuración → Webhook, y suscríbase al campo “messages”.'
const CHECK = 'Revise public_base_url y que el proxy o túnel que hay detrás esté en marcha.'

export const es: OnboardingLocale = {
  language: 'es',
  connect: 'Conectar un número',
  submit: 'Conectar',
  connected: 'Conectado',
  isConnected: (name) => `“${name}” está conectado`,
  sandbox: {
    tag: 'Sandbox',
    heading: (name) => `Conectar un número a “${name}”`,
    lead: 'En la red real, esta página pide las credenciales de la Cloud API de Meta. Aquí todo es simulado: elija cualquier número.',
    number: 'Número de teléfono con el código del país',
    wrongNumber: 'Escriba el número con el código del país: de 7 a 15 dígitos.',
    done: (number) => `El número ${number} ya puede enviar y recibir. Puede cerrar esta página.`,
  },
  live: {
    heading: (name) => `Conectar un número de WhatsApp a “${name}”`,
    lead: 'El número es de la Cloud API de Meta. Lo que indique aquí se guarda cifrado en este servicio y solo se envía a Meta.',
    withMeta: 'Continuar con Meta',
    orPaste: 'Meta le pide iniciar sesión y elegir el número. O pegue sus credenciales:',
    fields: {
      access_token: {
        label: 'Token de acceso',
        hint: 'Configuración del negocio → Usuarios → Usuarios del sistema → Generar token, con whatsapp_business_messaging y whatsapp_business_management, sin caducidad.',
      },
      app_secret: {
        label: 'Clave secreta de la app',
        hint: 'La app en developers.facebook.com → Configuración de la app → Básica. Con ella sabemos que una llamada viene de verdad de Meta.',
      },
      phone_number_id: {
        label: 'Identificador de número de teléfono',
        hint: 'WhatsApp → Configuración de la API, debajo del número. No es el propio número de teléfono.',
      },
      waba_id: {
        label: 'Identificador de la cuenta de WhatsApp Business',
        hint: 'En la misma página, junto al identificador de número de teléfono.',
      },
      pin: {
        label: 'PIN (solo para un número nuevo en la Cloud API)',
        hint: 'Seis dígitos de la verificación en dos pasos: los que ya tiene el número, o nuevos. Anótelos.',
      },
    },
    canSend: (number) => `El número +${number} ya puede enviar.`,
    callsBack: 'Desde ahora Meta llama a este servicio.',
    pinNote: 'El número era nuevo en la Cloud API y desde ahora tiene un PIN. Anótelo; no se volverá a mostrar.',
    pin: 'PIN',
    close: 'Puede cerrar esta página.',
    failed: 'Sin conectar',
    notYet: (name) => `“${name}” aún no está conectado`,
    again: 'Vuelva a abrir la página de conexión y empiece de nuevo, o pegue allí las credenciales.',
    usedMeanwhile: 'Mientras tanto, otra persona ha conectado un número aquí.',
  },
  callback: {
    title: 'Adónde llama Meta',
    before: `Cuando conecte, indicamos esta dirección a Meta. Si Meta no la acepta, introdúzcala usted ${ENTER}`,
    after: `Meta no ha aceptado nuestra dirección, así que aún no llega nada de lo que se escribe. Introdúzcala usted ${ENTER} El token de verificación no se volverá a mostrar.`,
    url: 'URL de devolución de llamada',
    token: 'Token de verificación',
    ok: 'Hemos llamado a esta dirección desde fuera, y lleva hasta aquí.',
    noAddress:
      'Este servicio no tiene dirección pública, así que Meta no puede llamarlo: se pueden enviar mensajes, pero no llega nada de lo que se escribe, y ningún mensaje pasa de “queued”. Ponga en public_base_url una dirección https que lleve hasta aquí.',
    faults: {
      not_https: ({ detail }) =>
        `Meta solo llama a direcciones https, y public_base_url empieza por ${detail}//. Ponga un proxy TLS o un túnel delante de este servicio.`,
      not_public: ({ host, detail }) =>
        `${host} no lleva a una dirección pública, así que Meta no puede alcanzarlo (${detail}). ${CHECK}`,
      no_name: ({ host, detail }) => `El nombre ${host} no existe en el DNS (${detail}). ${CHECK}`,
      certificate: ({ host, detail }) => `Meta no confiaría en el certificado de ${host} (${detail}). ${CHECK}`,
      silent: ({ host, detail }) => `${host} no responde a tiempo (${detail}). ${CHECK}`,
      unreachable: ({ host, detail }) => `No se puede alcanzar ${host} desde fuera (${detail}). ${CHECK}`,
      other: ({ host, detail }) =>
        `Otra cosa responde en ${host} (estado ${detail}). El proxy o túnel debe pasar /callbacks/ a este servicio, con la cabecera Host tal como llegó.`,
    },
  },
  reasons: {
    phone_number_id_form: () =>
      'El identificador de número de teléfono es un número largo, sin espacios, y no el propio número de teléfono.',
    waba_id_form: () => 'El identificador de la cuenta de WhatsApp Business es un número largo, sin espacios.',
    access_token_form: () => 'Pegue el token de acceso completo; empieza por EAA y no tiene espacios.',
    app_secret_form: () => 'La clave secreta de la app tiene 32 caracteres: dígitos y letras de la a a la f.',
    pin_form: () => 'El PIN tiene seis dígitos.',
    other_account: () =>
      'Este número no pertenece a la cuenta de WhatsApp Business con este identificador. Copie ambos de la misma página de Meta.',
    pin_needed: () =>
      'WhatsApp aún no atiende este número por la Cloud API. Indique seis dígitos como PIN: el que ya tiene, o uno nuevo. Anótelo.',
    other_app_secret: () =>
      'Esta no es la clave secreta de la app a la que pertenece el token de acceso. Cópiela de Configuración de la app → Básica.',
    token_dead: () =>
      'Meta no acepta este token de acceso. Genere uno nuevo para un usuario del sistema, sin caducidad, y péguelo completo.',
    permission: () =>
      'A este token de acceso le faltan permisos. Necesita whatsapp_business_messaging y whatsapp_business_management, y el usuario del sistema necesita la cuenta de WhatsApp entre sus activos.',
    unknown_id: (detail) => `Meta no conoce este identificador, o este token de acceso no puede verlo (${detail}).`,
    blocked: () => 'Meta ha bloqueado esta cuenta. Consulte el servicio de ayuda para empresas de Meta.',
    no_number: () =>
      'Meta no ha compartido ningún número que no esté ya conectado. Empiece de nuevo, y elija o añada allí un número.',
    unreachable: (detail) => `Ahora mismo no se puede alcanzar Meta (${detail}). Inténtelo de nuevo en un minuto.`,
    refused: (detail) => `Meta lo ha rechazado (${detail}).`,
  },
  gone: {
    title: 'Esta página ya no está aquí',
    text: 'Ya se usó, o su dirección no está completa. Quien se la envió puede ver en Switchboard si el número está conectado, y enviarle una nueva.',
  },
}
