import { localeFor } from '../onboarding/language.ts'

export interface LinkWords {
  readonly language: string
  readonly title: string
  readonly lead: string
  readonly steps: readonly [string, string, string]
  readonly qrAlt: string
  /** Text after the number of seconds. */
  readonly changesIn: string
  readonly preparing: string
  readonly expired: string
  readonly again: string
  readonly codeTitle: string
  readonly codeText: string
  readonly phone: string
  readonly getCode: string
  readonly badPhone: string
  /** The account is frozen. */
  readonly noCode: string
  readonly connected: string
  readonly connectedText: string
  readonly connectedAs: string
  readonly done: string
  readonly offline: string
  /** The connection was lost, and the service is reconnecting. */
  readonly lost: string
  /** The agency disconnected it. */
  readonly stopped: string
  readonly reconnect: string
  /** The phone or WhatsApp ended the pairing. */
  readonly unpaired: string
  /** Pairing failed at the passkey. */
  readonly unconfirmed: string
  /** Too many passkey requests. */
  readonly tooOften: string
  /** The number is used in another installation, which a new connection would disturb. */
  readonly moved: string
  readonly banned: string
  readonly bannedForNow: string
  readonly passkey: string
  readonly passkeyText: string
  readonly passkeyGo: string
  readonly official: string
  readonly officialGo: string
  readonly help: string
  readonly noScript: string
  readonly failed: string
  /** The page was opened too often. */
  readonly often: string
  /** The page is open in too many windows, so this one is no longer updated. */
  readonly replaced: string
  /** Too many pages are open, so this one is not updated. It tries again. */
  readonly full: string
  readonly privacy: string
  readonly gone: { readonly title: string; readonly text: string }
}

const en: LinkWords = {
  language: 'en',
  title: 'Connect your WhatsApp number',
  lead: 'Scan the code with the phone that has the number.',
  steps: [
    'Open WhatsApp on the phone.',
    'Go to Settings, Linked devices, Link a device.',
    'Point the camera at this code.',
  ],
  qrAlt: 'QR code to scan with WhatsApp',
  changesIn: 's until the code changes',
  preparing: 'Preparing the code…',
  expired: 'The code has expired because nobody scanned it.',
  again: 'Show a new code',
  codeTitle: 'No second screen?',
  codeText: 'In WhatsApp choose “Link with phone number instead” and enter this code:',
  phone: 'Your number, with country code',
  getCode: 'Get a code',
  badPhone: 'Enter the number with country code, digits only.',
  noCode:
    'This account is on hold, so no code can be requested. Scan the QR code instead, or ask the person who sent you this link.',
  connected: 'Your number is connected',
  connectedText: 'You can close this page. Keep WhatsApp on the phone.',
  connectedAs: 'Connected as',
  done: 'This link has done its work and no longer opens.',
  offline: 'The number is not connected',
  lost: 'The connection was lost. It is usually restored automatically. If it is not, link the number again.',
  stopped: 'It was disconnected on purpose. It stays that way until somebody connects it again.',
  reconnect: 'Connect again',
  unpaired: 'The phone is no longer linked. Link it again with a new code.',
  unconfirmed:
    'The passkey did not confirm the number. Get a new code, keep WhatsApp open on the phone, and use the passkey of this number.',
  tooOften: 'WhatsApp asked for the passkey too often. Wait an hour, then get a new code.',
  moved: 'It is now connected from another place. If that is wrong, ask the person who sent you this link.',
  banned: 'WhatsApp has blocked this number. Open WhatsApp on the phone to ask for a review, then link it again.',
  bannedForNow:
    'WhatsApp has blocked this number for a while. The number reconnects automatically when the block ends.',
  passkey: 'Confirm with your passkey',
  passkeyText: 'WhatsApp asks for the passkey of this account.',
  passkeyGo: 'Confirm',
  official: 'Connect the number on the next page.',
  officialGo: 'Continue',
  help: 'Help',
  noScript: 'Turn on JavaScript to see the code change, or reload this page.',
  often: 'This page was opened too often. Wait a minute, then try again.',
  replaced: 'This page is open in too many windows, so it no longer updates here. Reload it to continue here.',
  full: 'Too many of these pages are open at the moment, so this one does not update. It tries again in a few seconds.',
  failed: 'That did not work. Try again.',
  privacy: 'Only continue if you know who sent you this link.',
  gone: {
    title: 'This link does not work',
    text: 'It has ended or was never valid. Ask the person who sent it for a new one.',
  },
}

const ptBR: LinkWords = {
  language: 'pt-BR',
  title: 'Conecte seu número do WhatsApp',
  lead: 'Leia o código com o celular que tem o número.',
  steps: [
    'Abra o WhatsApp no celular.',
    'Vá em Configurações, Dispositivos conectados, Conectar dispositivo.',
    'Aponte a câmera para este código.',
  ],
  qrAlt: 'QR code para ler com o WhatsApp',
  changesIn: 's até o código mudar',
  preparing: 'Preparando o código…',
  expired: 'O código expirou porque ninguém o leu.',
  again: 'Mostrar um novo código',
  codeTitle: 'Sem uma segunda tela?',
  codeText: 'No WhatsApp, escolha “Conectar com número de telefone” e digite este código:',
  phone: 'Seu número, com código do país',
  getCode: 'Receber um código',
  badPhone: 'Digite o número com o código do país, só os algarismos.',
  noCode:
    'Esta conta está bloqueada no momento, então não é possível pedir um código. Leia o QR code ou fale com quem enviou este link.',
  connected: 'Seu número está conectado',
  connectedText: 'Você já pode fechar esta página. Mantenha o WhatsApp no celular.',
  connectedAs: 'Conectado como',
  done: 'Este link já cumpriu sua função e não abre mais.',
  offline: 'O número não está conectado',
  lost: 'A conexão caiu. Normalmente ela volta sozinha; se não voltar, conecte o número de novo.',
  stopped: 'Ele foi desconectado de propósito e fica assim até alguém conectá-lo de novo.',
  reconnect: 'Conectar de novo',
  unpaired: 'O celular não está mais conectado. Conecte-o de novo com um novo código.',
  unconfirmed:
    'A chave de acesso não confirmou o número. Peça um novo código, mantenha o WhatsApp aberto no celular e use a chave de acesso deste número.',
  tooOften: 'O WhatsApp pediu a chave de acesso vezes demais. Espere uma hora e peça um novo código.',
  moved: 'Agora ele está conectado em outro lugar. Se isso estiver errado, fale com quem enviou este link.',
  banned:
    'O WhatsApp bloqueou este número. Abra o WhatsApp no celular para pedir uma revisão e depois conecte-o de novo.',
  bannedForNow: 'O WhatsApp bloqueou este número por um tempo. Ele volta sozinho quando o bloqueio terminar.',
  passkey: 'Confirme com sua chave de acesso',
  passkeyText: 'O WhatsApp pede a chave de acesso desta conta.',
  passkeyGo: 'Confirmar',
  official: 'Conecte o número na próxima página.',
  officialGo: 'Continuar',
  help: 'Ajuda',
  noScript: 'Ative o JavaScript para ver o código mudar ou recarregue esta página.',
  often: 'Esta página foi aberta vezes demais. Espere um minuto e tente de novo.',
  replaced: 'Esta página está aberta em janelas demais e não é mais atualizada aqui. Recarregue-a para continuar aqui.',
  full: 'Há páginas demais abertas no momento, por isso esta não é atualizada. Ela tenta de novo em alguns segundos.',
  failed: 'Não funcionou. Tente de novo.',
  privacy: 'Continue somente se você sabe quem enviou este link.',
  gone: {
    title: 'Este link não funciona',
    text: 'Ele não vale mais ou nunca foi válido. Peça um novo a quem o enviou.',
  },
}

const es: LinkWords = {
  language: 'es',
  title: 'Conecte su número de WhatsApp',
  lead: 'Escanee el código con el teléfono que tiene el número.',
  steps: [
    'Abra WhatsApp en el teléfono.',
    'Vaya a Ajustes, Dispositivos vinculados, Vincular un dispositivo.',
    'Apunte la cámara a este código.',
  ],
  qrAlt: 'Código QR para escanear con WhatsApp',
  changesIn: 's hasta que cambie el código',
  preparing: 'Preparando el código…',
  expired: 'El código venció porque nadie lo escaneó.',
  again: 'Mostrar otro código',
  codeTitle: '¿No tiene otra pantalla?',
  codeText: 'En WhatsApp elija «Vincular con el número de teléfono» e introduzca este código:',
  phone: 'Su número, con código de país',
  getCode: 'Obtener un código',
  badPhone: 'Escriba el número con el código de país, solo cifras.',
  noCode:
    'Esta cuenta está bloqueada por ahora, así que no se puede pedir un código. Escanee el código QR o hable con quien le envió este enlace.',
  connected: 'Su número está conectado',
  connectedText: 'Ya puede cerrar esta página. Mantenga WhatsApp en el teléfono.',
  connectedAs: 'Conectado como',
  done: 'Este enlace ya cumplió su función y no vuelve a abrirse.',
  offline: 'El número no está conectado',
  lost: 'Se perdió la conexión. Suele volver sola; si no vuelve, vincule el número de nuevo.',
  stopped: 'Se desconectó a propósito y sigue así hasta que alguien lo conecte de nuevo.',
  reconnect: 'Conectar de nuevo',
  unpaired: 'El teléfono ya no está vinculado. Vincúlelo de nuevo con otro código.',
  unconfirmed:
    'La llave de acceso no confirmó el número. Obtenga otro código, mantenga WhatsApp abierto en el teléfono y use la llave de acceso de este número.',
  tooOften: 'WhatsApp pidió la llave de acceso demasiadas veces. Espere una hora y obtenga otro código.',
  moved: 'Ahora está conectado desde otro lugar. Si eso no es correcto, hable con quien le envió este enlace.',
  banned:
    'WhatsApp bloqueó este número. Abra WhatsApp en el teléfono para pedir una revisión y después vincúlelo de nuevo.',
  bannedForNow: 'WhatsApp bloqueó este número por un tiempo. Vuelve solo cuando termina el bloqueo.',
  passkey: 'Confirme con su llave de acceso',
  passkeyText: 'WhatsApp pide la llave de acceso de esta cuenta.',
  passkeyGo: 'Confirmar',
  official: 'Conecte el número en la página siguiente.',
  officialGo: 'Continuar',
  help: 'Ayuda',
  noScript: 'Active JavaScript para ver cambiar el código, o recargue esta página.',
  often: 'Esta página se abrió demasiadas veces. Espere un minuto e intente de nuevo.',
  replaced:
    'Esta página está abierta en demasiadas ventanas y ya no se actualiza aquí. Recárguela para continuar aquí.',
  full: 'Hay demasiadas páginas abiertas en este momento, por lo que esta no se actualiza. Lo intenta de nuevo en unos segundos.',
  failed: 'No funcionó. Inténtelo de nuevo.',
  privacy: 'Continúe solo si sabe quién le envió este enlace.',
  gone: { title: 'Este enlace no funciona', text: 'Ya no es válido o nunca lo fue. Pida otro a quien se lo envió.' },
}

const WORDS: Readonly<Record<string, LinkWords>> = { en, 'pt-BR': ptBR, es }

/** @param accepted Accept-Language as the browser sends it. */
export const wordsFor = (accepted: string | undefined): LinkWords => WORDS[localeFor(accepted).language] ?? en
