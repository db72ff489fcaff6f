import type { InvoiceLanguage } from '../../../contract/client-billing.ts'
import type { ReportedCounter } from '../usage-prices.ts'

/** Names of the lines on a client's invoices. */
interface InvoiceWords {
  readonly service: string
  readonly counters: Readonly<Record<ReportedCounter, string>>
}

export const INVOICE_WORDS = {
  en: {
    service: 'Messaging service',
    counters: {
      sent: 'Messages sent',
      received: 'Messages received',
      calls: 'Calls',
      call_seconds: 'Call time',
      ai_tokens: 'AI tokens',
      message_costs: 'Message fees',
    },
  },
  es: {
    service: 'Servicio de mensajería',
    counters: {
      sent: 'Mensajes enviados',
      received: 'Mensajes recibidos',
      calls: 'Llamadas',
      call_seconds: 'Tiempo de llamada',
      ai_tokens: 'Tokens de IA',
      message_costs: 'Tarifas de mensajes',
    },
  },
  'pt-BR': {
    service: 'Serviço de mensagens',
    counters: {
      sent: 'Mensagens enviadas',
      received: 'Mensagens recebidas',
      calls: 'Ligações',
      call_seconds: 'Tempo de ligação',
      ai_tokens: 'Tokens de IA',
      message_costs: 'Tarifas de mensagens',
    },
  },
} as const satisfies Record<InvoiceLanguage, InvoiceWords>
