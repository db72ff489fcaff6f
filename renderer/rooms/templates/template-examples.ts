import { newButton } from './template-buttons.ts'
import { NEW_CAROUSEL, type Carousel } from './template-cards.ts'
import { NEW_TEMPLATE, type TemplateForm } from './template-form.ts'

export const EXAMPLES = ['order', 'appointment', 'offer', 'cards', 'code'] as const
export type ExampleName = (typeof EXAMPLES)[number]

interface Words {
  readonly body: string
  readonly footer: string
  readonly button: string
}
type Language = 'en' | 'es' | 'pt_BR'

/** These texts are sent to people, so they are in the language of the template and not of the window. */
const WORDS: Readonly<Record<Exclude<ExampleName, 'code'>, Readonly<Record<Language, Words>>>> = {
  order: {
    en: {
      body: 'Hello {{1}}, your order {{2}} has left our store and should reach you on {{3}}. You can follow it with the button below.',
      footer: 'Thank you for your order',
      button: 'Track order',
    },
    es: {
      body: 'Hola, {{1}}: su pedido {{2}} ya salió de nuestra tienda y debería llegarle el {{3}}. Puede seguirlo con el botón de abajo.',
      footer: 'Gracias por su compra',
      button: 'Seguir mi pedido',
    },
    pt_BR: {
      body: 'Olá, {{1}}! Seu pedido {{2}} já saiu da nossa loja e deve chegar em {{3}}. Você pode acompanhá-lo pelo botão abaixo.',
      footer: 'Obrigado pela compra',
      button: 'Acompanhar pedido',
    },
  },
  appointment: {
    en: {
      body: 'Hello {{1}}, this is a reminder of your appointment on {{2}} at {{3}}. Please tell us if you are coming.',
      footer: '',
      button: 'I am coming|I need another time',
    },
    es: {
      body: 'Hola, {{1}}: le recordamos su cita del {{2}} a las {{3}}. Por favor, díganos si viene.',
      footer: '',
      button: 'Sí, voy|Necesito otra hora',
    },
    pt_BR: {
      body: 'Olá, {{1}}! Lembramos que seu horário é no dia {{2}} às {{3}}. Por favor, avise se você vem.',
      footer: '',
      button: 'Vou sim|Preciso de outro horário',
    },
  },
  offer: {
    en: {
      body: 'Hello {{1}}, this week everything for the garden has {{2}} off. Show this message in our store, or order online.',
      footer: 'Reply STOP to get no more offers',
      button: 'See the offers',
    },
    es: {
      body: 'Hola, {{1}}: esta semana todo para el jardín tiene {{2}} de descuento. Muestre este mensaje en la tienda o compre en línea.',
      footer: 'Responda BAJA para no recibir más ofertas',
      button: 'Ver las ofertas',
    },
    pt_BR: {
      body: 'Olá, {{1}}! Nesta semana, tudo para o jardim está com {{2}} de desconto. Mostre esta mensagem na loja ou compre pelo site.',
      footer: 'Responda SAIR para não receber ofertas',
      button: 'Ver as ofertas',
    },
  },
  cards: {
    en: { body: 'Hello {{1}}, these plants have just arrived in our store.', footer: '', button: 'See it' },
    es: { body: 'Hola, {{1}}: estas plantas acaban de llegar a nuestra tienda.', footer: '', button: 'Verla' },
    pt_BR: { body: 'Olá, {{1}}! Estas plantas acabaram de chegar à nossa loja.', footer: '', button: 'Ver' },
  },
}
const NAMES = {
  order: 'order_on_its_way',
  appointment: 'appointment_reminder',
  offer: 'weekly_offer',
  cards: 'new_products',
  code: 'sign_in_code',
}
const VALUES: Readonly<Record<Exclude<ExampleName, 'code'>, Readonly<Record<Language, readonly string[]>>>> = {
  order: { en: ['Ana', '1042', 'Friday'], es: ['Ana', '1042', 'viernes'], pt_BR: ['Ana', '1042', 'sexta-feira'] },
  appointment: {
    en: ['Ana', 'May 4', '10:30'],
    es: ['Ana', '4 de mayo', '10:30'],
    pt_BR: ['Ana', '4 de maio', '10h30'],
  },
  offer: { en: ['Ana', '20%'], es: ['Ana', '20 %'], pt_BR: ['Ana', '20%'] },
  cards: { en: ['Ana'], es: ['Ana'], pt_BR: ['Ana'] },
}
const LINK = 'https://www.example.com/'

/**
 * An example to start from. @param language a language code of Meta; without an example in this language, the English
 * one is used.
 */
export function exampleTemplate(name: ExampleName, language: string): TemplateForm {
  const form = { ...NEW_TEMPLATE, name: NAMES[name], language }
  if (name === 'code') return { ...form, category: 'AUTHENTICATION' }
  const written = languageOf(language)
  const { body, footer, button } = WORDS[name][written]
  const values = VALUES[name][written].map((value, at): [string, string] => [`body.${at + 1}`, value])
  const link = { ...newButton('URL', button), value: LINK }
  const filled = { ...form, body, footer, examples: Object.fromEntries(values) }
  if (name === 'cards') return { ...filled, category: 'MARKETING', carousel: withLinks(button) }
  return {
    ...filled,
    category: name === 'offer' ? 'MARKETING' : 'UTILITY',
    buttons:
      name === 'appointment'
        ? button.split('|').map((text) => newButton('QUICK_REPLY', text))
        : [name === 'order' ? { ...link, value: `${LINK}{{1}}`, example: '1042' } : link],
  }
}

/** A carousel in which each card has a link button. */
const withLinks = (text: string): Carousel => ({
  ...NEW_CAROUSEL,
  cards: NEW_CAROUSEL.cards.map((card) => ({ ...card, buttons: [{ ...newButton('URL', text), value: LINK }] })),
})

function languageOf(code: string): Language {
  const [base] = code.split('_')
  return base === 'es' ? 'es' : base === 'pt' ? 'pt_BR' : 'en'
}
