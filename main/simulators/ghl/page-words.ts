/** The text of the simulator's pages. */
export interface PageWords {
  readonly language: string
  readonly product: string
  readonly sandbox: string
  readonly consent: { heading: string; lead: string; location: string; agency: string; allow: string; deny: string }
  readonly inbox: string
  readonly conversations: string
  readonly none: string
  readonly choose: string
  readonly thread: string
  readonly message: string
  readonly file: string
  readonly send: string
  readonly newContact: string
  readonly phone: string
  readonly name: string
  readonly add: string
  readonly dndOn: string
  readonly dndOff: string
  readonly dnd: string
  readonly noPhone: string
  readonly uninstall: string
  readonly uninstallHint: string
  readonly token: string
  readonly gone: string
  readonly wrongPhone: string
  readonly status: Readonly<Record<'pending' | 'sent' | 'delivered' | 'read' | 'failed', string>>
}

const en: PageWords = {
  language: 'en',
  product: 'HighLevel simulator',
  sandbox: 'Sandbox',
  consent: {
    heading: 'Allow Switchboard to access a location?',
    lead: 'It will read and write contacts and conversations. No data leaves this computer.',
    location: 'Location',
    agency: 'The whole agency',
    allow: 'Allow',
    deny: 'Deny',
  },
  inbox: 'Inbox',
  conversations: 'Conversations',
  none: 'No conversations yet. Write to the connected number from a sandbox phone, or add a contact.',
  choose: 'Choose a conversation.',
  thread: 'Messages',
  message: 'Message',
  file: 'File',
  send: 'Send',
  newContact: 'New contact',
  phone: 'Phone with country code',
  name: 'Name',
  add: 'Add',
  dndOn: 'Set DND',
  dndOff: 'Lift DND',
  dnd: 'DND',
  noPhone: 'No phone number',
  uninstall: 'Uninstall the app',
  uninstallHint: 'Revokes the tokens of this location and tells the service.',
  token: 'Private integration token of this location',
  gone: 'This page does not exist. Open it again from Switchboard.',
  wrongPhone: 'Enter the number with its country code: 7 to 15 digits.',
  status: { pending: 'pending', sent: 'sent', delivered: 'delivered', read: 'read', failed: 'failed' },
}

const ptBR: PageWords = {
  language: 'pt-BR',
  product: 'Simulador do HighLevel',
  sandbox: 'Sandbox',
  consent: {
    heading: 'Permitir que o Switchboard acesse uma subconta?',
    lead: 'Ele vai ler e gravar contatos e conversas. Nenhum dado sai deste computador.',
    location: 'Subconta',
    agency: 'A agência inteira',
    allow: 'Permitir',
    deny: 'Recusar',
  },
  inbox: 'Caixa de entrada',
  conversations: 'Conversas',
  none: 'Nenhuma conversa ainda. Escreva para o número conectado a partir de um telefone do sandbox ou adicione um contato.',
  choose: 'Escolha uma conversa.',
  thread: 'Mensagens',
  message: 'Mensagem',
  file: 'Arquivo',
  send: 'Enviar',
  newContact: 'Novo contato',
  phone: 'Telefone com código do país',
  name: 'Nome',
  add: 'Adicionar',
  dndOn: 'Ativar DND',
  dndOff: 'Desativar DND',
  dnd: 'DND',
  noPhone: 'Sem telefone',
  uninstall: 'Desinstalar o aplicativo',
  uninstallHint: 'Revoga os tokens desta subconta e avisa o serviço.',
  token: 'Token de integração privada desta subconta',
  gone: 'Esta página não existe. Abra-a de novo pelo Switchboard.',
  wrongPhone: 'Digite o número com o código do país: de 7 a 15 dígitos.',
  status: { pending: 'pendente', sent: 'enviada', delivered: 'entregue', read: 'lida', failed: 'falhou' },
}

const es: PageWords = {
  language: 'es',
  product: 'Simulador de HighLevel',
  sandbox: 'Sandbox',
  consent: {
    heading: '¿Permitir que Switchboard acceda a una subcuenta?',
    lead: 'Leerá y escribirá contactos y conversaciones. Ningún dato sale de este equipo.',
    location: 'Subcuenta',
    agency: 'Toda la agencia',
    allow: 'Permitir',
    deny: 'Rechazar',
  },
  inbox: 'Bandeja de entrada',
  conversations: 'Conversaciones',
  none: 'Aún no hay conversaciones. Escriba al número conectado desde un teléfono del sandbox o agregue un contacto.',
  choose: 'Elija una conversación.',
  thread: 'Mensajes',
  message: 'Mensaje',
  file: 'Archivo',
  send: 'Enviar',
  newContact: 'Nuevo contacto',
  phone: 'Teléfono con código de país',
  name: 'Nombre',
  add: 'Agregar',
  dndOn: 'Activar DND',
  dndOff: 'Desactivar DND',
  dnd: 'DND',
  noPhone: 'Sin teléfono',
  uninstall: 'Desinstalar la aplicación',
  uninstallHint: 'Revoca los tokens de esta subcuenta y avisa al servicio.',
  token: 'Token de integración privada de esta subcuenta',
  gone: 'Esta página no existe. Ábrala de nuevo desde Switchboard.',
  wrongPhone: 'Escriba el número con su código de país: de 7 a 15 dígitos.',
  status: { pending: 'pendiente', sent: 'enviado', delivered: 'entregado', read: 'leído', failed: 'falló' },
}

/** @param accepted Accept-Language: its first language that there is. */
export function wordsFor(accepted: string | undefined): PageWords {
  const wanted = (accepted ?? '').split(',').map((tag) => tag.trim().slice(0, 2).toLowerCase())
  const found = wanted.find((tag) => tag === 'en' || tag === 'pt' || tag === 'es')
  return found === 'pt' ? ptBR : found === 'es' ? es : en
}
