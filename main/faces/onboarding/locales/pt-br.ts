import type { OnboardingLocale } from './shape.ts'

const ENTER = 'no aplicativo da Meta: WhatsApp → Configuração → Webhook, e assine o campo “messages”.'
const CHECK = 'Confira public_base_url e se o proxy ou túnel por trás dele está no ar.'

export const ptBR: OnboardingLocale = {
  language: 'pt-BR',
  connect: 'Conectar um número',
  submit: 'Conectar',
  connected: 'Conectado',
  isConnected: (name) => `“${name}” está conectado`,
  sandbox: {
    tag: 'Sandbox',
    heading: (name) => `Conectar um número a “${name}”`,
    lead: 'Na rede real, esta página pede as credenciais da Cloud API da Meta. No sandbox, escolha qualquer número.',
    number: 'Número de telefone com o código do país',
    wrongNumber: 'Digite o número com o código do país: de 7 a 15 dígitos.',
    done: (number) => `O número ${number} já pode enviar e receber mensagens. Você pode fechar esta página.`,
  },
  live: {
    heading: (name) => `Conectar um número do WhatsApp a “${name}”`,
    lead: 'Este número usa a Cloud API da Meta. Os dados que você informar ficam criptografados neste serviço e só são enviados à Meta.',
    withMeta: 'Continuar com a Meta',
    orPaste: 'Entre com a Meta e escolha o número, ou cole as credenciais:',
    fields: {
      access_token: {
        label: 'Token de acesso',
        hint: 'Configurações do negócio → Usuários → Usuários do sistema → Gerar token, com whatsapp_business_messaging e whatsapp_business_management, sem data de expiração.',
      },
      app_secret: {
        label: 'Chave secreta do aplicativo',
        hint: 'Seu aplicativo em developers.facebook.com → Configurações do aplicativo → Básico. Com ela verificamos que os callbacks vêm da Meta.',
      },
      phone_number_id: {
        label: 'Identificação do número de telefone',
        hint: 'WhatsApp → Configuração da API, abaixo do número. Não é o número de telefone.',
      },
      waba_id: {
        label: 'Identificação da conta do WhatsApp Business',
        hint: 'Na mesma página, ao lado da identificação do número de telefone.',
      },
      pin: {
        label: 'PIN (só para um número novo na Cloud API)',
        hint: 'Seis dígitos da confirmação em duas etapas: o PIN atual do número ou um novo. Anote.',
      },
    },
    canSend: (number) => `O número +${number} já pode enviar mensagens.`,
    callsBack: 'A Meta já envia as mensagens recebidas para este serviço.',
    pinNote: 'O número era novo na Cloud API e agora tem um PIN. Anote: ele não será mostrado de novo.',
    pin: 'PIN',
    close: 'Você pode fechar esta página.',
    failed: 'Não conectado',
    notYet: (name) => `“${name}” ainda não está conectado`,
    again: 'Abra a página de conexão de novo e recomece, ou cole as credenciais lá.',
    usedMeanwhile: 'Enquanto isso, outra pessoa conectou um número aqui.',
  },
  callback: {
    title: 'URL de callback',
    before: `Ao conectar, registramos esta URL na Meta. Se não funcionar, informe a URL você mesmo ${ENTER}`,
    after: `A Meta não aceitou nossa URL, então você ainda não vai receber mensagens. Informe a URL você mesmo ${ENTER} O token de verificação não será mostrado de novo.`,
    url: 'URL de callback',
    token: 'Token de verificação',
    ok: 'Testamos esta URL e ela chega a este serviço.',
    noAddress:
      'Este serviço não tem uma URL pública, então a Meta não consegue acessá-lo. Você pode enviar mensagens, mas não vai receber respostas, e os status ficam em “queued”. Defina em public_base_url uma URL https que chegue a este serviço.',
    faults: {
      not_https: ({ detail }) =>
        `A Meta exige https, mas public_base_url começa com ${detail}//. Coloque um proxy TLS ou um túnel na frente deste serviço.`,
      not_public: ({ host, detail }) =>
        `${host} não aponta para um endereço público, então a Meta não consegue acessar (${detail}). ${CHECK}`,
      no_name: ({ host, detail }) => `O nome ${host} não existe no DNS (${detail}). ${CHECK}`,
      certificate: ({ host, detail }) => `A Meta não confiaria no certificado de ${host} (${detail}). ${CHECK}`,
      silent: ({ host, detail }) => `${host} não responde a tempo (${detail}). ${CHECK}`,
      unreachable: ({ host, detail }) => `Não é possível acessar ${host} pela Internet (${detail}). ${CHECK}`,
      other: ({ host, detail }) =>
        `Outro servidor responde em ${host} (status ${detail}). Configure o proxy ou túnel para encaminhar /callbacks/ a este serviço com o cabeçalho Host original.`,
    },
  },
  reasons: {
    phone_number_id_form: () =>
      'A identificação do número de telefone é um número longo sem espaços, não o número de telefone.',
    waba_id_form: () => 'A identificação da conta do WhatsApp Business é um número longo, sem espaços.',
    access_token_form: () => 'Cole o token de acesso inteiro; ele começa com EAA e não tem espaços.',
    app_secret_form: () => 'A chave secreta do aplicativo tem 32 caracteres: dígitos e letras de a até f.',
    pin_form: () => 'O PIN deve ter seis dígitos.',
    other_account: () =>
      'Este número não pertence à conta do WhatsApp Business com esta identificação. Copie as duas da mesma página da Meta.',
    pin_needed: () =>
      'Este número ainda não está registrado na Cloud API. Informe um PIN de seis dígitos: o atual ou um novo. Anote.',
    other_app_secret: () =>
      'Esta chave secreta não é do aplicativo do token de acesso. Copie a chave em Configurações do aplicativo → Básico.',
    token_dead: () =>
      'A Meta recusou este token de acesso. Gere um novo para um usuário do sistema, sem data de expiração, e cole o token inteiro.',
    permission: () =>
      'Faltam permissões a este token de acesso. Ele precisa de whatsapp_business_messaging e whatsapp_business_management, e a conta do WhatsApp precisa estar atribuída ao usuário do sistema.',
    unknown_id: (detail) => `A Meta não conhece esta identificação, ou o token não tem acesso a ela (${detail}).`,
    blocked: () => 'A Meta bloqueou esta conta. Veja a Central de Suporte para Empresas da Meta.',
    no_number: () =>
      'Todos os números que a Meta compartilhou já estão conectados. Recomece e escolha ou adicione outro número.',
    unreachable: (detail) => `No momento não é possível acessar a Meta (${detail}). Tente de novo em um minuto.`,
    refused: (detail) => `A Meta recusou a solicitação (${detail}).`,
  },
  gone: {
    title: 'Esta página não está mais disponível',
    text: 'Este link já foi usado ou está incompleto. Peça um novo a quem o enviou.',
  },
  suspended: {
    title: 'Nenhum número foi conectado',
    text: 'Esta conta está bloqueada no momento. Fale com quem enviou o link e tente de novo quando ela estiver ativa.',
  },
}
