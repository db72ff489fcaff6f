/** The text of the payment pages in one language. Plain text, no markup. */
export interface PaymentWords {
  readonly language: string
  readonly tag: string
  readonly sandbox: string
  readonly pay: (amount: string) => string
  readonly payButton: (amount: string) => string
  readonly setup: string
  readonly saveButton: string
  readonly each: Readonly<Record<string, string>>
  readonly number: string
  readonly expiry: string
  readonly cvc: string
  readonly cards: string
  /** What happens with each test card. */
  readonly cardMeanings: Readonly<Record<string, string>>
  readonly challenge: string
  readonly challengeLead: string
  readonly confirm: string
  readonly cancel: string
  readonly paid: string
  readonly paidLead: string
  readonly saved: string
  readonly back: string
  readonly expired: string
  readonly gone: string
  readonly portal: string
  readonly plan: string
  readonly noPlan: string
  readonly renews: (date: string) => string
  readonly ends: (date: string) => string
  readonly endPlan: string
  readonly keepPlan: string
  readonly card: (brand: string, last4: string, until: string) => string
  readonly isDefault: string
  readonly makeDefault: string
  readonly remove: string
  readonly noCard: string
  readonly savedCards: string
  readonly addCard: string
  readonly invoices: string
  readonly invoice: (number: string) => string
  readonly status: Readonly<Record<string, string>>
  readonly open: string
  readonly pdf: string
  readonly total: string
  readonly due: string
  readonly noInvoice: string
  readonly wrongExpiry: string
  /** By the code of the refusal. */
  readonly refused: Readonly<Record<string, string>>
  readonly otherwise: string
  readonly returned: string
  readonly returnedLead: string
}

const en: PaymentWords = {
  language: 'en',
  tag: 'Sandbox',
  sandbox: 'Sandbox – no money moves. Only test cards are accepted, and no card number is stored.',
  pay: (amount) => `Pay ${amount}`,
  payButton: (amount) => `Pay ${amount}`,
  setup: 'Save a card',
  saveButton: 'Save card',
  each: { month: 'per month', year: 'per year' },
  number: 'Card number',
  expiry: 'Expiry date (MM/YY)',
  cvc: 'Security code',
  cards: 'Test cards',
  cardMeanings: { works: 'pays', challenge: 'asks you to confirm', declined: 'is declined', expired: 'has expired' },
  challenge: 'Your bank asks you to confirm',
  challengeLead: 'In a real payment your bank would show this step.',
  confirm: 'Confirm payment',
  cancel: 'Cancel',
  paid: 'Payment complete',
  paidLead: 'Thank you. Your account gets what you bought within a few seconds.',
  saved: 'The card is saved',
  back: 'Back to Switchboard',
  expired: 'This payment page has expired. Create a new checkout.',
  gone: 'This page does not exist or has expired.',
  portal: 'Billing portal',
  plan: 'Subscriptions',
  noPlan: 'There is no subscription.',
  renews: (date) => `Renews on ${date}`,
  ends: (date) => `Ends on ${date}`,
  endPlan: 'Cancel subscription',
  keepPlan: 'Keep subscription',
  card: (brand, last4, until) => `${brand} ending in ${last4}, expires ${until}`,
  isDefault: 'Charged for purchases and renewals',
  makeDefault: 'Use this card',
  remove: 'Remove',
  noCard: 'There is no saved card.',
  savedCards: 'Cards',
  addCard: 'Add a card',
  invoices: 'Invoices',
  invoice: (number) => `Invoice ${number}`,
  status: { draft: 'Draft', open: 'Unpaid', paid: 'Paid', uncollectible: 'Uncollectible', void: 'Void' },
  open: 'Open',
  pdf: 'Download PDF',
  total: 'Total',
  due: 'Amount due',
  noInvoice: 'There are no invoices.',
  wrongExpiry: 'Enter the expiry date as MM/YY.',
  refused: {
    generic_decline: 'The card was declined. Try another one.',
    insufficient_funds: 'The card has insufficient funds. Try another one.',
    expired_card: 'The card has expired. Try another one.',
    test_mode_live_card: 'This is not a test card, and it was not stored. Use one of the cards below.',
    incorrect_number: 'The card number is not valid. Use one of the cards below.',
    resource_missing: 'This page is no longer open.',
  },
  otherwise: 'The card was refused. Try another one.',
  returned: 'You can close this tab',
  returnedLead: 'Switchboard shows the result within a few seconds.',
}

const ptBR: PaymentWords = {
  language: 'pt-BR',
  tag: 'Sandbox',
  sandbox: 'Sandbox – nenhum dinheiro é movimentado. Só cartões de teste são aceitos, e nenhum número é guardado.',
  pay: (amount) => `Pagar ${amount}`,
  payButton: (amount) => `Pagar ${amount}`,
  setup: 'Salvar um cartão',
  saveButton: 'Salvar cartão',
  each: { month: 'por mês', year: 'por ano' },
  number: 'Número do cartão',
  expiry: 'Validade (MM/AA)',
  cvc: 'Código de segurança',
  cards: 'Cartões de teste',
  cardMeanings: { works: 'paga', challenge: 'pede confirmação', declined: 'é recusado', expired: 'está vencido' },
  challenge: 'Seu banco pede uma confirmação',
  challengeLead: 'Em um pagamento real, seu banco mostraria esta etapa.',
  confirm: 'Confirmar pagamento',
  cancel: 'Cancelar',
  paid: 'Pagamento concluído',
  paidLead: 'Obrigado. Sua conta recebe o que você comprou em poucos segundos.',
  saved: 'O cartão foi salvo',
  back: 'Voltar ao Switchboard',
  expired: 'Esta página de pagamento expirou. Crie um novo checkout.',
  gone: 'Esta página não existe ou expirou.',
  portal: 'Portal de cobrança',
  plan: 'Assinaturas',
  noPlan: 'Não há assinatura.',
  renews: (date) => `Renova em ${date}`,
  ends: (date) => `Termina em ${date}`,
  endPlan: 'Cancelar assinatura',
  keepPlan: 'Manter assinatura',
  card: (brand, last4, until) => `${brand} final ${last4}, válido até ${until}`,
  isDefault: 'Cobrado em compras e renovações',
  makeDefault: 'Usar este cartão',
  remove: 'Remover',
  noCard: 'Não há cartão salvo.',
  savedCards: 'Cartões',
  addCard: 'Adicionar um cartão',
  invoices: 'Faturas',
  invoice: (number) => `Fatura ${number}`,
  status: { draft: 'Rascunho', open: 'Em aberto', paid: 'Paga', uncollectible: 'Incobrável', void: 'Anulada' },
  open: 'Abrir',
  pdf: 'Baixar PDF',
  total: 'Total',
  due: 'Valor a pagar',
  noInvoice: 'Não há faturas.',
  wrongExpiry: 'Informe a validade no formato MM/AA.',
  refused: {
    generic_decline: 'O cartão foi recusado. Tente outro.',
    insufficient_funds: 'O cartão não tem saldo suficiente. Tente outro.',
    expired_card: 'O cartão está vencido. Tente outro.',
    test_mode_live_card: 'Este não é um cartão de teste e não foi guardado. Use um dos cartões abaixo.',
    incorrect_number: 'O número do cartão não é válido. Use um dos cartões abaixo.',
    resource_missing: 'Esta página não está mais aberta.',
  },
  otherwise: 'O cartão foi recusado. Tente outro.',
  returned: 'Você pode fechar esta aba',
  returnedLead: 'O Switchboard mostra o resultado em poucos segundos.',
}

const es: PaymentWords = {
  language: 'es',
  tag: 'Sandbox',
  sandbox: 'Sandbox: no se mueve dinero. Solo se aceptan tarjetas de prueba y no se guarda ningún número.',
  pay: (amount) => `Pagar ${amount}`,
  payButton: (amount) => `Pagar ${amount}`,
  setup: 'Guardar una tarjeta',
  saveButton: 'Guardar tarjeta',
  each: { month: 'al mes', year: 'al año' },
  number: 'Número de tarjeta',
  expiry: 'Vencimiento (MM/AA)',
  cvc: 'Código de seguridad',
  cards: 'Tarjetas de prueba',
  cardMeanings: { works: 'paga', challenge: 'pide confirmar', declined: 'es rechazada', expired: 'está vencida' },
  challenge: 'Tu banco te pide confirmar',
  challengeLead: 'En un pago real, tu banco mostraría este paso.',
  confirm: 'Confirmar pago',
  cancel: 'Cancelar',
  paid: 'Pago completado',
  paidLead: 'Gracias. Tu cuenta recibe lo que compraste en unos segundos.',
  saved: 'La tarjeta está guardada',
  back: 'Volver a Switchboard',
  expired: 'Esta página de pago ha caducado. Crea un nuevo checkout.',
  gone: 'Esta página no existe o ha caducado.',
  portal: 'Portal de facturación',
  plan: 'Suscripciones',
  noPlan: 'No hay ninguna suscripción.',
  renews: (date) => `Se renueva el ${date}`,
  ends: (date) => `Termina el ${date}`,
  endPlan: 'Cancelar suscripción',
  keepPlan: 'Mantener suscripción',
  card: (brand, last4, until) => `${brand} terminada en ${last4}, vence ${until}`,
  isDefault: 'Se cobra en compras y renovaciones',
  makeDefault: 'Usar esta tarjeta',
  remove: 'Quitar',
  noCard: 'No hay ninguna tarjeta guardada.',
  savedCards: 'Tarjetas',
  addCard: 'Añadir una tarjeta',
  invoices: 'Facturas',
  invoice: (number) => `Factura ${number}`,
  status: { draft: 'Borrador', open: 'Sin pagar', paid: 'Pagada', uncollectible: 'Incobrable', void: 'Anulada' },
  open: 'Abrir',
  pdf: 'Descargar PDF',
  total: 'Total',
  due: 'Importe pendiente',
  noInvoice: 'No hay facturas.',
  wrongExpiry: 'Escribe el vencimiento como MM/AA.',
  refused: {
    generic_decline: 'La tarjeta fue rechazada. Prueba con otra.',
    insufficient_funds: 'La tarjeta no tiene fondos suficientes. Prueba con otra.',
    expired_card: 'La tarjeta ha vencido. Prueba con otra.',
    test_mode_live_card: 'No es una tarjeta de prueba y no se guardó. Usa una de las tarjetas de abajo.',
    incorrect_number: 'El número de tarjeta no es válido. Usa una de las tarjetas de abajo.',
    resource_missing: 'Esta página ya no está abierta.',
  },
  otherwise: 'La tarjeta fue rechazada. Prueba con otra.',
  returned: 'Puedes cerrar esta pestaña',
  returnedLead: 'Switchboard muestra el resultado en unos segundos.',
}

const ALL: Readonly<Record<string, PaymentWords>> = { en, 'pt-BR': ptBR, es }

/** @param language of the locale that the onboarding pages would use. */
export const wordsIn = (language: string): PaymentWords => ALL[language] ?? en
