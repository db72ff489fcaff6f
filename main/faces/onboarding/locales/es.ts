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
    lead: 'En la red real, esta página pide las credenciales de la Cloud API de Meta. En el sandbox puede elegir cualquier número.',
    number: 'Número de teléfono con el código del país',
    wrongNumber: 'Escriba el número con el código del país: de 7 a 15 dígitos.',
    done: (number) => `El número ${number} ya puede enviar y recibir mensajes. Puede cerrar esta página.`,
  },
  live: {
    heading: (name) => `Conectar un número de WhatsApp a “${name}”`,
    lead: 'Este número usa la Cloud API de Meta. Los datos que ingrese se guardan cifrados en este servicio y solo se envían a Meta.',
    withMeta: 'Continuar con Meta',
    orPaste: 'Inicie sesión con Meta y elija el número, o pegue las credenciales:',
    fields: {
      access_token: {
        label: 'Token de acceso',
        hint: 'Configuración del negocio → Usuarios → Usuarios del sistema → Generar token, con whatsapp_business_messaging y whatsapp_business_management, sin vencimiento.',
      },
      app_secret: {
        label: 'Clave secreta de la app',
        hint: 'Su app en developers.facebook.com → Configuración de la app → Básica. Con ella verificamos que los avisos vienen de Meta.',
      },
      phone_number_id: {
        label: 'Identificador de número de teléfono',
        hint: 'WhatsApp → Configuración de la API, debajo del número. No es el número de teléfono.',
      },
      waba_id: {
        label: 'Identificador de la cuenta de WhatsApp Business',
        hint: 'En la misma página, junto al identificador de número de teléfono.',
      },
      pin: {
        label: 'PIN (solo para un número nuevo en la Cloud API)',
        hint: 'Seis dígitos de la verificación en dos pasos: el PIN actual del número o uno nuevo. Anótelo.',
      },
    },
    canSend: (number) => `El número +${number} ya puede enviar mensajes.`,
    callsBack: 'Meta ya envía los mensajes entrantes a este servicio.',
    pinNote: 'El número era nuevo en la Cloud API y ahora tiene un PIN. Anótelo; no se volverá a mostrar.',
    pin: 'PIN',
    close: 'Puede cerrar esta página.',
    failed: 'No conectado',
    notYet: (name) => `“${name}” aún no está conectado`,
    again: 'Vuelva a abrir la página de conexión y empiece de nuevo, o pegue allí las credenciales.',
    usedMeanwhile: 'Mientras tanto, otra persona conectó un número aquí.',
  },
  callback: {
    title: 'URL de devolución de llamada',
    before: `Al conectar, registramos esta URL en Meta. Si no funciona, ingrésela usted ${ENTER}`,
    after: `Meta no aceptó nuestra URL, así que todavía no recibirá mensajes. Ingrésela usted ${ENTER} El token de verificación no se volverá a mostrar.`,
    url: 'URL de devolución de llamada',
    token: 'Token de verificación',
    ok: 'Probamos esta URL y llega a este servicio.',
    noAddress:
      'Este servicio no tiene una URL pública, así que Meta no puede acceder a él. Puede enviar mensajes, pero no recibirá respuestas y los estados se quedan en “queued”. Configure en public_base_url una URL https que llegue a este servicio.',
    faults: {
      not_https: ({ detail }) =>
        `Meta exige https, pero public_base_url empieza con ${detail}//. Ponga un proxy TLS o un túnel delante de este servicio.`,
      not_public: ({ host, detail }) =>
        `${host} no corresponde a una dirección pública, así que Meta no puede acceder (${detail}). ${CHECK}`,
      no_name: ({ host, detail }) => `El nombre ${host} no existe en el DNS (${detail}). ${CHECK}`,
      certificate: ({ host, detail }) => `Meta no confiaría en el certificado de ${host} (${detail}). ${CHECK}`,
      silent: ({ host, detail }) => `${host} no responde a tiempo (${detail}). ${CHECK}`,
      unreachable: ({ host, detail }) => `No se puede acceder a ${host} desde Internet (${detail}). ${CHECK}`,
      other: ({ host, detail }) =>
        `Otro servidor responde en ${host} (estado ${detail}). Configure el proxy o túnel para que reenvíe /callbacks/ a este servicio con el encabezado Host original.`,
    },
  },
  reasons: {
    phone_number_id_form: () =>
      'El identificador de número de teléfono es un número largo sin espacios, no el número de teléfono.',
    waba_id_form: () => 'El identificador de la cuenta de WhatsApp Business es un número largo, sin espacios.',
    access_token_form: () => 'Pegue el token de acceso completo; empieza por EAA y no tiene espacios.',
    app_secret_form: () => 'La clave secreta de la app tiene 32 caracteres: dígitos y letras de la a a la f.',
    pin_form: () => 'El PIN debe tener seis dígitos.',
    other_account: () =>
      'Este número no pertenece a la cuenta de WhatsApp Business con este identificador. Copie ambos de la misma página de Meta.',
    pin_needed: () =>
      'Este número aún no está registrado en la Cloud API. Ingrese un PIN de seis dígitos: el actual o uno nuevo. Anótelo.',
    other_app_secret: () =>
      'Esta clave secreta no corresponde a la app del token de acceso. Cópiela de Configuración de la app → Básica.',
    token_dead: () =>
      'Meta rechazó este token de acceso. Genere uno nuevo para un usuario del sistema, sin vencimiento, y péguelo completo.',
    permission: () =>
      'A este token de acceso le faltan permisos. Necesita whatsapp_business_messaging y whatsapp_business_management, y la cuenta de WhatsApp debe estar asignada al usuario del sistema.',
    unknown_id: (detail) => `Meta no conoce este identificador, o el token no tiene acceso a él (${detail}).`,
    blocked: () => 'Meta bloqueó esta cuenta. Consulte el servicio de ayuda para empresas de Meta.',
    no_number: () =>
      'Todos los números que Meta compartió ya están conectados. Empiece de nuevo y elija o agregue otro número.',
    unreachable: (detail) => `En este momento no se puede acceder a Meta (${detail}). Inténtelo de nuevo en un minuto.`,
    refused: (detail) => `Meta rechazó la solicitud (${detail}).`,
  },
  gone: {
    title: 'Esta página ya no está disponible',
    text: 'Este enlace ya se usó o está incompleto. Pida uno nuevo a la persona que se lo envió.',
  },
  suspended: {
    title: 'No se conectó ningún número',
    text: 'Esta cuenta está bloqueada por ahora. Hable con quien le envió el enlace e inténtelo de nuevo cuando esté activa.',
  },
}
