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
    lead: 'Na rede real, esta página pede as credenciais da Cloud API da Meta. Aqui tudo é simulado: escolha qualquer número.',
    number: 'Número de telefone com o código do país',
    wrongNumber: 'Digite o número com o código do país: de 7 a 15 dígitos.',
    done: (number) => `O número ${number} já pode enviar e receber. Você pode fechar esta página.`,
  },
  live: {
    heading: (name) => `Conectar um número do WhatsApp a “${name}”`,
    lead: 'O número é da Cloud API da Meta. O que você informa aqui fica criptografado neste serviço e só é enviado à Meta.',
    withMeta: 'Continuar com a Meta',
    orPaste: 'A Meta pede que você entre e escolha o número. Ou cole as credenciais dele:',
    fields: {
      access_token: {
        label: 'Token de acesso',
        hint: 'Configurações do negócio → Usuários → Usuários do sistema → Gerar token, com whatsapp_business_messaging e whatsapp_business_management, sem data de expiração.',
      },
      app_secret: {
        label: 'Chave secreta do aplicativo',
        hint: 'O aplicativo em developers.facebook.com → Configurações do aplicativo → Básico. Com ela sabemos que uma chamada vem mesmo da Meta.',
      },
      phone_number_id: {
        label: 'Identificação do número de telefone',
        hint: 'WhatsApp → Configuração da API, abaixo do número. Não é o próprio número de telefone.',
      },
      waba_id: {
        label: 'Identificação da conta do WhatsApp Business',
        hint: 'Na mesma página, ao lado da identificação do número de telefone.',
      },
      pin: {
        label: 'PIN (só para um número novo na Cloud API)',
        hint: 'Seis dígitos da confirmação em duas etapas: os que o número já tem, ou novos. Anote-os.',
      },
    },
    canSend: (number) => `O número +${number} já pode enviar.`,
    callsBack: 'A partir de agora a Meta chama este serviço.',
    pinNote: 'O número era novo na Cloud API e agora tem um PIN. Anote-o; ele não será mostrado de novo.',
    pin: 'PIN',
    close: 'Você pode fechar esta página.',
    failed: 'Não conectado',
    notYet: (name) => `“${name}” ainda não está conectado`,
    again: 'Abra a página de conexão de novo e recomece, ou cole as credenciais lá.',
    usedMeanwhile: 'Enquanto isso, outra pessoa conectou um número aqui.',
  },
  callback: {
    title: 'Para onde a Meta chama',
    before: `Quando você conecta, informamos este endereço à Meta. Se a Meta não o aceitar, informe-o você mesmo ${ENTER}`,
    after: `A Meta não aceitou nosso endereço, então nada do que as pessoas escrevem chega ainda. Informe-o você mesmo ${ENTER} O token de verificação não será mostrado de novo.`,
    url: 'URL de callback',
    token: 'Token de verificação',
    ok: 'Chamamos este endereço de fora, e ele chega aqui.',
    noAddress:
      'Este serviço não tem endereço público, então a Meta não consegue chamá-lo: mensagens podem ser enviadas, mas nada do que as pessoas escrevem chega, e nenhuma mensagem passa de “queued”. Defina public_base_url com um endereço https que leve até aqui.',
    faults: {
      not_https: ({ detail }) =>
        `A Meta só chama endereços https, e public_base_url começa com ${detail}//. Coloque um proxy TLS ou um túnel na frente deste serviço.`,
      not_public: ({ host, detail }) =>
        `${host} não leva a um endereço público, então a Meta não o alcança (${detail}). ${CHECK}`,
      no_name: ({ host, detail }) => `O nome ${host} não existe no DNS (${detail}). ${CHECK}`,
      certificate: ({ host, detail }) => `A Meta não confiaria no certificado de ${host} (${detail}). ${CHECK}`,
      silent: ({ host, detail }) => `${host} não responde a tempo (${detail}). ${CHECK}`,
      unreachable: ({ host, detail }) => `Não é possível alcançar ${host} de fora (${detail}). ${CHECK}`,
      other: ({ host, detail }) =>
        `Outra coisa responde em ${host} (status ${detail}). O proxy ou túnel deve repassar /callbacks/ a este serviço, com o cabeçalho Host como veio.`,
    },
  },
  reasons: {
    phone_number_id_form: () =>
      'A identificação do número de telefone é um número longo, sem espaços, e não o próprio número de telefone.',
    waba_id_form: () => 'A identificação da conta do WhatsApp Business é um número longo, sem espaços.',
    access_token_form: () => 'Cole o token de acesso inteiro; ele começa com EAA e não tem espaços.',
    app_secret_form: () => 'A chave secreta do aplicativo tem 32 caracteres: dígitos e letras de a até f.',
    pin_form: () => 'O PIN tem seis dígitos.',
    other_account: () =>
      'Este número não pertence à conta do WhatsApp Business com esta identificação. Copie as duas da mesma página da Meta.',
    pin_needed: () =>
      'O WhatsApp ainda não atende este número pela Cloud API. Informe seis dígitos como PIN: o que ele já tem, ou um novo. Anote-o.',
    other_app_secret: () =>
      'Esta não é a chave secreta do aplicativo a que pertence o token de acesso. Copie-a em Configurações do aplicativo → Básico.',
    token_dead: () =>
      'A Meta não aceita este token de acesso. Gere um novo para um usuário do sistema, sem expiração, e cole-o inteiro.',
    permission: () =>
      'Faltam permissões a este token de acesso. Ele precisa de whatsapp_business_messaging e whatsapp_business_management, e o usuário do sistema precisa ter a conta do WhatsApp entre os seus ativos.',
    unknown_id: (detail) =>
      `A Meta não conhece esta identificação, ou este token de acesso não pode vê-la (${detail}).`,
    blocked: () => 'A Meta bloqueou esta conta. Veja a Central de Suporte para Empresas da Meta.',
    no_number: () =>
      'A Meta não compartilhou nenhum número que ainda não esteja conectado. Recomece e escolha ou adicione um número lá.',
    unreachable: (detail) => `No momento não é possível alcançar a Meta (${detail}). Tente de novo em um minuto.`,
    refused: (detail) => `A Meta recusou isto (${detail}).`,
  },
  gone: {
    title: 'Esta página não está mais aqui',
    text: 'Ela já foi usada, ou o endereço não está completo. Quem a enviou pode ver no Switchboard se o número está conectado e enviar uma nova.',
  },
}
