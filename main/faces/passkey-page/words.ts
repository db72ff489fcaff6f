import { localeFor } from '../onboarding/language.ts'

/** Errors that the person can fix; `failed` covers all others. */
export type PasskeyProblem = 'wrong' | 'superseded' | 'ended' | 'refused' | 'failed'

export interface PasskeyWords {
  readonly language: string
  readonly title: string
  readonly lead: string
  readonly nothingLinked: string
  readonly open: string
  readonly console: string
  readonly console2: string
  readonly paste: string
  readonly send: string
  readonly privacy: string
  readonly notJson: string
  /** The answer was not accepted. */
  readonly problem: Readonly<Record<PasskeyProblem, string>>
  readonly preparing: string
  readonly phone: { readonly title: string; readonly text: string }
  readonly compare: { readonly title: string; readonly text: string; readonly same: string; readonly different: string }
  readonly linked: { readonly title: string; readonly text: string }
  readonly gone: { readonly title: string; readonly text: string }
}

const en: PasskeyWords = {
  language: 'en',
  title: 'Confirm with your passkey',
  lead: 'Somebody is linking your WhatsApp account to Switchboard and showed you this page. Continue only if you asked for it.',
  nothingLinked:
    'Nothing is linked yet. Use the passkey of the number that scanned the code, and keep WhatsApp open on the phone.',
  open: 'Open this page of WhatsApp in another tab:',
  console:
    'Open the browser’s console there (F12, then Console), paste these lines and press Enter. They ask your passkey to sign one request of WhatsApp and bring the result back to this page:',
  console2: 'Browsers warn about pasting there, and they are right: never paste anything else.',
  paste: 'If the browser does not come back to this page, copy the result from the console and paste it here:',
  send: 'Send',
  privacy: 'The passkey itself never leaves your device. The result is good for this one request and is not stored.',
  notJson: 'This is not the result of the lines above. Run them again and paste what they show.',
  problem: {
    wrong:
      'This result can’t be used. Run the lines again with the passkey of this WhatsApp account, unlocked with fingerprint, face or PIN.',
    superseded: 'WhatsApp has asked again since. Run the lines that this page shows now.',
    ended: 'The confirmation has ended and nothing was linked. Ask for another QR code.',
    refused:
      'WhatsApp did not accept the confirmation and nothing was linked. Wait a few minutes, then ask for another QR code.',
    failed: 'This did not work. Try again in a moment.',
  },
  preparing: 'Waiting for WhatsApp.',
  phone: { title: 'Look at your phone', text: 'Keep WhatsApp open on the phone. This page refreshes automatically.' },
  compare: {
    title: 'Compare the codes',
    text: 'Your phone shows a code. Is it the same as this one?',
    same: 'They match',
    different: 'They differ',
  },
  linked: { title: 'The account is linked', text: 'You can close this page.' },
  gone: {
    title: 'This link has ended',
    text: 'Nothing more can be done here. If the account is not linked, ask for another link.',
  },
}

const ptBR: PasskeyWords = {
  language: 'pt-BR',
  title: 'Confirme com sua chave de acesso',
  lead: 'Alguém está conectando sua conta do WhatsApp ao Switchboard e enviou esta página a você. Continue somente se você pediu isso.',
  nothingLinked:
    'Nada foi conectado ainda. Use a chave de acesso do número que leu o código e mantenha o WhatsApp aberto no celular.',
  open: 'Abra esta página do WhatsApp em outra aba:',
  console:
    'Nela, abra o console do navegador (F12, depois Console), cole estas linhas e pressione Enter. Elas pedem que sua chave de acesso assine uma solicitação do WhatsApp e trazem o resultado de volta a esta página:',
  console2: 'Os navegadores alertam sobre colar textos ali, e com razão: nunca cole outra coisa.',
  paste: 'Se o navegador não voltar a esta página, copie o resultado do console e cole aqui:',
  send: 'Enviar',
  privacy: 'A chave de acesso nunca sai do seu aparelho. O resultado vale só para esta solicitação e não é guardado.',
  notJson: 'Isto não é o resultado das linhas acima. Execute-as de novo e cole o que elas mostram.',
  problem: {
    wrong:
      'Este resultado não serve. Execute as linhas de novo com a chave de acesso desta conta do WhatsApp, desbloqueada com digital, rosto ou PIN.',
    superseded: 'O WhatsApp perguntou de novo desde então. Execute as linhas que esta página mostra agora.',
    ended: 'A confirmação terminou e nada foi conectado. Peça outro código QR.',
    refused: 'O WhatsApp não aceitou a confirmação e nada foi conectado. Espere alguns minutos e peça outro código QR.',
    failed: 'Não deu certo. Tente de novo em instantes.',
  },
  preparing: 'Aguardando o WhatsApp.',
  phone: {
    title: 'Olhe para o celular',
    text: 'Mantenha o WhatsApp aberto no celular. Esta página se atualiza automaticamente.',
  },
  compare: {
    title: 'Compare os códigos',
    text: 'O celular mostra um código. Ele é igual a este?',
    same: 'São iguais',
    different: 'São diferentes',
  },
  linked: { title: 'A conta está conectada', text: 'Você já pode fechar esta página.' },
  gone: {
    title: 'Este link não vale mais',
    text: 'Não há mais nada a fazer aqui. Se a conta não foi conectada, peça outro link.',
  },
}

const es: PasskeyWords = {
  language: 'es',
  title: 'Confirme con su llave de acceso',
  lead: 'Alguien está vinculando su cuenta de WhatsApp con Switchboard y le envió esta página. Continúe solo si usted lo pidió.',
  nothingLinked:
    'Todavía no se ha vinculado nada. Use la llave de acceso del número que escaneó el código y mantenga WhatsApp abierto en el teléfono.',
  open: 'Abra esta página de WhatsApp en otra pestaña:',
  console:
    'Abra allí la consola del navegador (F12 y luego Consola), pegue estas líneas y pulse Intro. Piden a su llave de acceso que firme una solicitud de WhatsApp y traen el resultado de vuelta a esta página:',
  console2: 'Los navegadores advierten de pegar textos allí, y con razón: nunca pegue otra cosa.',
  paste: 'Si el navegador no vuelve a esta página, copie el resultado de la consola y péguelo aquí:',
  send: 'Enviar',
  privacy:
    'La llave de acceso nunca sale de su dispositivo. El resultado solo sirve para esta solicitud y no se guarda.',
  notJson: 'Esto no es el resultado de las líneas anteriores. Ejecútelas otra vez y pegue lo que muestran.',
  problem: {
    wrong:
      'Este resultado no sirve. Ejecute las líneas de nuevo con la llave de acceso de esta cuenta de WhatsApp, desbloqueada con huella, rostro o PIN.',
    superseded: 'WhatsApp volvió a preguntar desde entonces. Ejecute las líneas que esta página muestra ahora.',
    ended: 'La confirmación terminó y no se vinculó nada. Pida otro código QR.',
    refused: 'WhatsApp no aceptó la confirmación y no se vinculó nada. Espere unos minutos y pida otro código QR.',
    failed: 'No funcionó. Intente de nuevo en un momento.',
  },
  preparing: 'Esperando a WhatsApp.',
  phone: {
    title: 'Mire el teléfono',
    text: 'Mantenga WhatsApp abierto en el teléfono. Esta página se actualiza automáticamente.',
  },
  compare: {
    title: 'Compare los códigos',
    text: 'El teléfono muestra un código. ¿Es igual a este?',
    same: 'Son iguales',
    different: 'Son distintos',
  },
  linked: { title: 'La cuenta está vinculada', text: 'Ya puede cerrar esta página.' },
  gone: {
    title: 'Este enlace ya no es válido',
    text: 'Aquí no queda nada por hacer. Si la cuenta no se vinculó, pida otro enlace.',
  },
}

const WORDS: Readonly<Record<string, PasskeyWords>> = { en, 'pt-BR': ptBR, es }

/** @param accepted Accept-Language as the browser sends it. */
export const wordsFor = (accepted: string | undefined): PasskeyWords => WORDS[localeFor(accepted).language] ?? en
